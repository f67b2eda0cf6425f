#include "parser/fast/line_meaning.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/swar.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

enum CollectiveValue : size_t { kOpCount, kElements, kDatatype, kOp, kRoot, kComm, kNranks };

constexpr size_t kMostRead = 9;  // a rank has 32 bits

// A line of a shape.
struct Example {
  std::string body;  // and what may be read behind it
  size_t size = 0;
  decltype(LineMeaning::places) places;

  std::string_view text() const { return std::string_view(body).substr(0, size); }
};

// `digits(i, hex)`: of its number i.
template <typename Digits>
Example MakeExample(std::string_view shape, Digits digits) {
  Example out;
  size_t count = 0;
  for (const char c : shape) {
    if (!skeleton::IsNumber(c)) {
      out.body.push_back(c);
      continue;
    }
    const std::string number = digits(count, c == skeleton::kHex);
    const size_t begin = out.body.size();
    out.body += number;
    if (count < out.places.size())
      out.places[count] = {static_cast<uint16_t>(begin), static_cast<uint16_t>(out.body.size())};
    ++count;
  }
  out.size = out.body.size();
  out.body.append(2 * sizeof(uint64_t), '\n');
  return out;
}

// No two numbers are the same, whether a decimal one is read as that or as a hexadecimal one.
std::string Distinct(size_t i, bool hex) {
  return hex ? std::string("c") + "0123456789abcdef"[i] : std::to_string(40 + i);
}
uint64_t ValueOf(size_t i, bool hex, bool read_as_hex) {
  if (hex) return 0xc0 + i;
  return read_as_hex ? 0x40 + (i / 10 * 16 + i % 10) : 40 + i;
}

// Facts of its own for a line that stands for all of its shape.
class Trial {
 public:
  Trial(LogLevel level, std::string_view body) {
    line_.number = 1;
    line_.raw = line_.text = line_.body = body;
    line_.header.present = true;
    line_.header.level = level;
    line_.dialect = Dialect::kNccl;
  }
  const ParsedLine& line() const { return line_; }
  Extraction x() { return {line_, kNoProcess, builder_}; }
  FactsBuilder* builder() { return &builder_; }
  const SourceFacts& facts() const { return facts_; }
  bool MadeNothing() const { return facts_.events.empty() && facts_.connections.empty() && facts_.collectives.empty(); }
  bool SaysTheSame(const Trial& other) const {
    const auto text = [&](StringId id) { return facts_.Str(id); };
    const auto others = [&](StringId id) { return other.facts_.Str(id); };
    const auto same_stream = [&](const CollectiveStream& a, const CollectiveStream& b) {
      return a.nranks == b.nranks && a.window == b.window && a.p2p_window == b.p2p_window &&
             text(a.comm) == others(b.comm);
    };
    return std::equal(facts_.collectives.begin(), facts_.collectives.end(), other.facts_.collectives.begin(),
                      other.facts_.collectives.end(), same_stream) &&
           facts_.events.empty() && other.facts_.events.empty();
  }

 private:
  SourceFacts facts_;
  FactsBuilder builder_{&facts_};
  ParsedLine line_;
};

// Extractors look for words, never for a number (parser/extract/extract.h), so texts with the smallest and the largest
// numbers tell. Calls ask(example) until it says false.
template <typename Ask>
bool HoldsForAll(std::string_view shape, size_t most_digits, Ask ask) {
  const auto try_with = [&](char decimal, size_t decimals, char hex, size_t hexes) {
    return ask(MakeExample(
        shape, [&](size_t, bool is_hex) { return is_hex ? std::string(hexes, hex) : std::string(decimals, decimal); }));
  };
  return try_with('0', 1, '0', 1) && try_with('9', most_digits, '9', skeleton::kMostHexDigits) &&
         try_with('1', 1, 'a', 1) && try_with('1', most_digits, 'f', skeleton::kMostHexDigits);
}

// Where a value of the line with distinct numbers comes from.
LineMeaning::Source SourceOf(uint64_t value, std::string_view shape) {
  int8_t i = 0;
  for (const char c : shape) {
    if (!skeleton::IsNumber(c)) continue;
    for (const bool hex : {false, true}) {
      const uint64_t number = ValueOf(static_cast<size_t>(i), c == skeleton::kHex, hex);
      if (c == skeleton::kHex && !hex) continue;
      if (number == value || 0 - number == value) return {i, hex, number != value};
    }
    ++i;
  }
  return {};
}

// As scan::Cursor would, out of a text of which only the digits are known to be there.
uint64_t Read(std::string_view number, LineMeaning::Source source) {
  if (source.hex) return swar::Hexadecimal(number.data(), number.size());
  uint64_t value = 0;
  if (number.size() < 8) {
    value = swar::Decimal(swar::Load(number.data()), number.size());
  } else {
    for (const char c : number) value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return source.negative ? 0 - value : value;
}

// Of a trial that was folded into a stream: which values its line had.
void NoteValues(const Trial& trial, LineMeaning* out) {
  const SourceFacts& facts = trial.facts();
  out->kind = LineMeaning::Kind::kNothing;
  if (facts.collectives.empty()) return;
  const CollectiveStream& stream = facts.collectives[0];
  const CollectiveCall& call = stream.window.empty() ? stream.p2p_window[0] : stream.window[0];
  uint64_t comm = 0;
  scan::Cursor(facts.Str(stream.comm)).Hex(&comm);
  const auto signed_value = [](int64_t value) { return static_cast<uint64_t>(value); };
  out->kind = LineMeaning::Kind::kCollective;
  out->values = {
      call.op_count, call.count, call.datatype, call.op, signed_value(call.root), comm, signed_value(stream.nranks)};
  out->collective.call.operation = call.operation;
}

// First a line with different numbers shows where each value comes from, then lines with the least and the greatest
// numbers show that it holds.
bool FindQuiet(LogLevel level, std::string_view shape, LineMeaning* meaning) {
  *meaning = {};
  const Example first = MakeExample(shape, Distinct);
  Trial trial(level, first.text());
  if (ExtractQuiet(trial.x(), false) != Known::kQuiet || !trial.facts().connections.empty()) return false;
  NoteValues(trial, meaning);
  meaning->most_digits = kMostRead;
  meaning->collective.from_call = level == LogLevel::kCall;
  for (size_t i = 0; i < meaning->values.size(); ++i) meaning->sources[i] = SourceOf(meaning->values[i], shape);
  if (meaning->kind == LineMeaning::Kind::kCollective && meaning->sources[kComm].number < 0) return false;
  const auto is_told = [&](const Example& example) {
    Trial plain(level, example.text());
    Trial told(level, example.text());
    if (ExtractQuiet(plain.x(), false) != Known::kQuiet) return false;
    meaning->places = example.places;
    meaning->Tell(example.body.data(), told.line(), kNoProcess, told.builder());
    return told.SaysTheSame(plain);
  };
  return is_told(first) && HoldsForAll(shape, meaning->most_digits, is_told);
}

// What was found out of a shape, for all sources of the process: the ranks of a job print the same, a file each.
class QuietShapes {
 public:
  bool Learn(LogLevel level, std::string_view shape, LineMeaning* meaning) {
    const std::lock_guard lock(mutex_);
    const std::pair key(level, std::string(shape));
    if (const auto known = known_.find(key); known != known_.end()) {
      *meaning = known->second.second;
      return known->second.first;
    }
    const bool quiet = FindQuiet(level, shape, meaning);
    if (known_.size() < kMost) known_.emplace(key, std::pair(quiet, *meaning));
    return quiet;
  }

 private:
  static constexpr size_t kMost = 512;
  std::mutex mutex_;
  std::map<std::pair<LogLevel, std::string>, std::pair<bool, LineMeaning>> known_;
};

}  // namespace

uint32_t LineMeaning::Tell(const char* readable, const ParsedLine& line, uint32_t process, FactsBuilder* out) {
  if (kind != Kind::kCollective) return IndexTable::kEmpty;
  const auto text_of = [&](size_t value) {
    const NumberPlace& place = places[static_cast<uint8_t>(sources[value].number)];
    return std::string_view(readable + place.begin, size_t{place.end} - place.begin);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const int8_t number = sources[i].number;
    if (number < 0) continue;
    const std::string_view text = text_of(i);
    Spelling& spelled = spellings[i];
    const uint64_t first = swar::Load(text.data());
    // Of a short number that the bytes behind it are the same says that it is as long, too.
    const bool shorter = text.size() < sizeof first;
    const uint64_t last = shorter ? 0 : swar::Load(text.data() + text.size() - sizeof first);
    const bool same =
        first == spelled.first &&
        (shorter || (last == spelled.last && text.size() == spelled.size && text.size() <= 2 * sizeof first));
    if (same) continue;
    values[i] = Read(text, sources[i]);
    spelled = {first, last, text.size()};
  }
  CollectiveCall& call = collective.call;
  call.op_count = values[kOpCount];
  call.count = values[kElements];
  call.datatype = static_cast<uint8_t>(values[kDatatype]);
  call.op = static_cast<uint8_t>(values[kOp]);
  call.root = static_cast<int32_t>(values[kRoot]);
  call.line = line.number;
  collective.comm = values[kComm];
  collective.comm_text = text_of(kComm);
  const char* const comm = collective.comm_text.data();  // as it is printed
  if (comm[-1] == 'x') collective.comm_text = {comm - 2, collective.comm_text.size() + 2};
  collective.nranks = static_cast<int64_t>(values[kNranks]);
  return out->AddCall(collective, line, process);
}

bool LearnQuiet(LogLevel level, std::string_view shape, LineMeaning* meaning) {
  static QuietShapes shapes;
  return shapes.Learn(level, shape, meaning);
}

// Neither quiet nor anybody's, whatever its numbers are: only catalogue and rules may have something to say.
bool IsNobodys(LogLevel level, std::string_view shape) {
  return HoldsForAll(shape, skeleton::kMostDigits, [&](const Example& example) {
    Trial trial(level, example.text());
    ExtractFamily family = nullptr;
    const Extraction x = trial.x();
    return ExtractQuiet(x, true) != Known::kQuiet && ExtractNccl(x, &family) == Known::kNo && trial.MadeNothing();
  });
}

bool IsFamilyOfShape(LogLevel level, std::string_view shape, ExtractFamily family) {
  return HoldsForAll(shape, skeleton::kMostDigits, [&](const Example& example) {
    Trial trial(level, example.text());
    ExtractFamily found = nullptr;
    ExtractNccl(trial.x(), &found);
    return found == family;
  });
}

}  // namespace ncclwhy
