// Lines that differ in their numbers alone are judged once (parser/shape_memo.h). Here they are judged one by one as
// well: a line that is pushed alone is too short to be taken by its shape.
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "parser/scan.h"
#include "read/digest.h"

namespace ncclwhy {
namespace {

// Everything that a digest says, as text.
std::string Dump(const SourceDigest& d) {
  std::ostringstream o;
  const SourceFacts& f = d.facts;
  for (size_t c = 0; c < static_cast<size_t>(Counter::kCount_); ++c)
    o << f.counters.Get(static_cast<Counter>(c)) << ' ';
  const auto ref = [&](const LineRef& r) { o << '<' << r.line << '@' << r.offset << ' ' << f.Str(r.text) << '>'; };
  for (const ProcessFacts& p : f.processes) {
    o << "\nP " << f.Str(p.host) << ':' << p.pid << ' ' << p.lines << ' ' << p.warns << ' ' << p.last_torn;
    ref(p.first);
    ref(p.last);
  }
  for (const Event& e : f.events) {
    o << "\nE " << e.line << '@' << e.offset << " p" << e.process << ' ' << EventKindName(e.kind);
    for (uint32_t i = 0; i < e.field_count; ++i) o << ' ' << f.Str(f.fields[e.field_begin + i].value);
  }
  for (const Hit& h : d.hits.hits) {
    o << "\nH " << h.line << '@' << h.offset << " p" << h.process << ' ' << h.pattern << " x" << h.repeats << ' '
      << f.Str(h.text);
  }
  for (const CatalogHit& c : d.catalog) {
    o << "\nC " << c.line << " p" << c.process << ' ' << c.message << " x" << c.repeats << ' ' << f.Str(c.text);
  }
  for (const auto& [message, m] : d.messages) {
    o << "\nM " << message << ' ' << m.count << ' ' << m.line << " p" << m.process << ' ' << f.Str(m.text);
  }
  return o.str();
}

SourceDigest Digest(const std::vector<std::string>& lines, bool one_by_one) {
  DigestBuilder builder("job.log", RuleSet::Embedded(), KnowledgeBase::Embedded());
  std::string all;
  for (const std::string& line : lines) {
    if (one_by_one) builder.Push(line);
    all += line;
  }
  if (!one_by_one) builder.Push(all);
  return builder.Finish();
}

std::string Number(std::mt19937& random, bool hex) {
  // Numbers that literals of rules hold, and any.
  static const std::vector<std::string> kTelling = {"12",  "0",   "1",  "101", "110",       "111",
                                                    "113", "802", "81", "9",   "2147483648"};
  static const std::vector<std::string> kTellingHex = {"c10d", "7fc10d00", "deadc10d", "4", "c10", "FFFF0000"};
  const std::vector<std::string>& telling = hex ? kTellingHex : kTelling;
  if (random() % 4 == 0) return telling[random() % telling.size()];
  std::string out(1 + random() % (random() % 8 == 0 ? 18 : 6), '0');
  for (char& c : out) c = std::string_view("0123456789abcdef")[random() % (hex ? 16 : 10)];
  return out;
}

// `format` with new numbers for its conversions, the same words for its texts, and new numbers for half of those that
// it holds.
std::string Render(std::string_view format, std::mt19937& random) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (scan::IsDigit(format[i]) && random() % 2 == 0) {
      out += Number(random, false);
      continue;
    }
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    const size_t end = format.find_first_not_of("-+ #0123456789.*hlLqjzt", i + 1);
    if (end == std::string_view::npos) break;
    switch (format[end]) {
      case '%':
        out += '%';
        break;
      case 'd':
      case 'i':
      case 'u':
        out += Number(random, false);
        break;
      case 'x':
      case 'p':
        if (format[end] == 'p') out += "0x";
        out += Number(random, true);
        break;
      case 'f':
      case 'g':
        out += Number(random, false) + "." + Number(random, false);
        break;
      default:
        out += random() % 4 == 0 ? "mlx5_" + Number(random, false) : "eth0";
        break;
    }
    i = end;
  }
  return out;
}

std::vector<std::string> Formats(std::string_view level) {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  std::vector<std::string> formats;
  for (size_t i = 0; i < kb.MessageCount(); ++i) {
    const MessageKnowledge m = kb.Message(static_cast<int>(i), {}, Language::kEnglish);
    if (m.level == level) formats.push_back(m.format.substr(0, m.format.find('\n')));
  }
  return formats;
}

void Compare(const std::vector<std::string>& bodies, std::string_view level, std::mt19937& random) {
  constexpr int kRounds = 40;  // of which the first ones teach
  std::vector<std::string> lines;
  for (int round = 0; round < kRounds; ++round) {
    for (const std::string& body : bodies) {
      std::string line = "node3:4711:4790 [2] ";
      if (level == "TRACE")
        line += std::to_string(round) + ".137 function" + std::to_string(lines.size() % bodies.size()) + ":12 ";
      line += "NCCL ";
      line += level;
      line += ' ';
      line += Render(body, random);
      line += '\n';
      lines.push_back(std::move(line));
    }
  }
  // Lines are not taken near the end of what was pushed.
  for (int i = 0; i < 8; ++i)
    lines.push_back("node3:4711:4790 [2] NCCL INFO Connected all rings, and a longer text behind it\n");
  const std::string whole = Dump(Digest(lines, false)), single = Dump(Digest(lines, true));
  if (whole != single) {  // the texts are long
    const size_t at = static_cast<size_t>(
        std::mismatch(whole.begin(), whole.end(), single.begin(), single.end()).first - whole.begin());
    INFO(whole.substr(at < 200 ? 0 : at - 200, 400));
    INFO(single.substr(at < 200 ? 0 : at - 200, 400));
    REQUIRE(whole == single);
  }
}

TEST_CASE("lines taken by their shape leave behind what they leave when they are judged", "[analyze]") {
  std::mt19937 random(20251122);
  for (const std::string_view level : {"INFO", "TRACE"}) {
    const std::vector<std::string> formats = Formats(level);
    REQUIRE(formats.size() > 200);
    constexpr size_t kAtOnce = 60;
    for (size_t i = 0; i < formats.size(); i += kAtOnce) {
      const auto begin = formats.begin() + static_cast<ptrdiff_t>(i);
      const auto end = formats.begin() + static_cast<ptrdiff_t>(std::min(i + kAtOnce, formats.size()));
      Compare({begin, end}, level, random);
    }
  }
}

TEST_CASE("and so do texts with a literal of a rule", "[analyze]") {
  std::mt19937 random(20251123);
  std::vector<std::string> bodies;
  for (const Rule& rule : RuleSet::Embedded().rules()) {
    for (const LinePattern& pattern : rule.patterns) {
      for (const KeptText& kept : pattern.literals) {
        const std::string literal = kept.str();
        if (literal.find('%') != std::string::npos) continue;
        if (std::any_of(literal.begin(), literal.end(), scan::IsDigit)) {
          // Text that the catalogue knows, so that nothing but the literal matters.
          bodies.push_back("sendProxy [%d/%d] request %p done");
          bodies.push_back("comm %p has " + literal + " left");
          bodies.push_back("Plugin Path : " + literal);
          bodies.push_back("TUNER/Plugin: " + literal + " %d");
        }
      }
    }
  }
  REQUIRE(bodies.size() > 40);
  Compare(bodies, "INFO", random);
  Compare(bodies, "TRACE", random);
}

}  // namespace
}  // namespace ncclwhy
