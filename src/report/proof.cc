#include "report/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/logger_prefix.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/caption.h"
#include "report/cut_prose.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

// As much as stays readable between arrows.
constexpr size_t kLinkColumns = 72;
constexpr size_t kLongName = 32;  // of a file, in columns
constexpr size_t kEnoughLinks = 2;
// Of the last link of a chain, with its label and arrow.
constexpr size_t kTellingColumns = 36;

// The words of a text without those that hold a digit or are a path: what two lines share that differ in numbers and
// names only.
std::string Wording(std::string_view text) {
  std::string out;
  for (size_t at = text.find_first_not_of(' '); at != std::string_view::npos; at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find_first_of(" ,;=()[]<>", at + 1), text.size());
    const std::string_view word = text.substr(at, end - at);
    // A word with a digit or a slash in it is a name, a number or a path.
    out += word.find_first_of("0123456789/") == std::string_view::npos ? word : "#";
    out += ' ';
    at = end;
  }
  return out;
}

// "… OpType ALLGATHER …", "… OpType ALLREDUCE …"
bool DifferInAWord(std::string_view one, std::string_view other) {
  const std::vector<std::string_view> words = SplitWords(one), others = SplitWords(other);
  if (words.size() != others.size()) return false;
  size_t different = 0;
  for (size_t i = 0; i < words.size(); ++i) different += words[i] != others[i] ? 1 : 0;
  // Exactly one: with two, two messages are told.
  return different == 1;
}

// "[Rank 10] Watchdog caught …", "rank10 …"
bool NamesRank(std::string_view text, int32_t rank) {
  if (rank < 0) return false;
  // "rank" or "Rank", so the first letter is left out.
  for (const std::string& name : {fmt::format("ank {}", rank), fmt::format("ank{}", rank)}) {
    const size_t at = text.find(name);
    const size_t end = at + name.size();
    if (at != std::string_view::npos && (end == text.size() || !IsDigit(text[end]))) return true;
  }
  return false;
}

// The words of one begin within the other: `job failed: 'unhandled system error / Call to ibv_modify_qp failed with
// …'`.
bool IsQuotedBy(std::string_view one, std::string_view by) {
  constexpr size_t kBeginning = 64;
  // At its very beginning the other one would be the same text, only longer.
  const size_t at = one.size() > kBeginning ? by.find(one.substr(0, kBeginning)) : std::string_view::npos;
  return at != std::string_view::npos && at > 0;
}

// Equal, or one repeats the other: "… failed: unhandled system error / Connect to 10.0.0.1<4711> failed". Of a long one
// its beginning is enough, since both may be clipped: "what():  … terminated with exception: [Rank 4] Watchdog caught
// …".
bool SayTheSame(std::string_view one, std::string_view other) {
  constexpr size_t kTelling = 24;
  if (one == other || IsQuotedBy(one, other) || IsQuotedBy(other, one)) return true;
  if (one.size() > other.size()) std::swap(one, other);
  while (one.ends_with(' ')) one.remove_suffix(1);
  // Short texts stand in many lines by chance: "aborted".
  return one.size() >= kTelling && other.find(one) != std::string_view::npos;
}

// Member by member: where an initializer of a part ends in an exception, GCC 12 destroys its members twice.
Proof QuoteOf(const std::string& file, uint64_t line, const std::string& text) {
  Proof proof;
  proof.file = file;
  proof.line = line;
  proof.text = text;
  return proof;
}

// The lower, the earlier it is quoted.
int WeightOf(const Evidence& item) {
  if (item.role == "contradicting") return 3;
  if (item.role == "direct") return 0;
  return item.line > 0 ? 1 : 2;
}

std::vector<Proof> FromEvidence(const Cause& cause, size_t most) {
  const std::vector<Evidence>& evidence = cause.evidence;
  // Of several culprits no line is that of "the odd one".
  const int32_t culprit = cause.culprits.size() == 1 ? cause.culprits.front().rank : -1;
  struct Choice {
    Proof proof;
    std::string wording;
    int weight = 0;
    bool first_of_rule = false;
    size_t order = 0;
    std::string rule;
  };
  std::vector<Choice> choices;
  std::set<std::string> rules;
  // What the reader has read when he comes to the captions.
  const std::string above = cause.summary + " " + (cause.culprits.empty() ? "" : cause.culprits.front().why);
  for (const Evidence& item : evidence) {
    if (item.role == "contradicting") continue;
    // Where a line is missing its note is what is told.
    std::string wording = Wording(WithoutLoggerPrefix(item.text.empty() ? item.note : item.text));
    // A rule whose two lines differ in a word and mean one thing compares them: "OpType=ALLGATHER", "OpType=ALLREDUCE".
    const auto of_rule =
        std::count_if(choices.begin(), choices.end(), [&](const Choice& c) { return c.rule == item.rule; });
    const bool other_side = of_rule == 1 && item.role == "direct" && !item.text.empty() &&
                            std::any_of(choices.begin(), choices.end(), [&](const Choice& c) {
                              // Where only numbers differ, the line of the odd one is the other side.
                              const bool of_culprit =
                                  NamesRank(item.text, culprit) && !NamesRank(c.proof.text, culprit);
                              return c.rule == item.rule && c.weight == 0 && c.proof.note == item.note &&
                                     (of_culprit || DifferInAWord(c.wording, wording));
                            });
    // Two rules that see two lines of one wording compare their numbers: both are quoted.
    const auto same = std::find_if(choices.begin(), choices.end(), [&](const Choice& c) {
      const bool compared =
          item.role == "direct" && c.weight == 0 && !rules.contains(item.rule) && c.proof.text != item.text;
      // "/dev/shm is too small for 9637892 bytes", "… for 9637888 bytes": what two rules found is one thing.
      const bool one_finding =
          !item.note.empty() && c.weight == WeightOf(item) && Wording(c.proof.note) == Wording(item.note);
      return one_finding || (!compared && SayTheSame(c.wording, wording));
    });
    // The other side of a comparison is quoted although its rule has a line already.
    if (same != choices.end() && !other_side) {
      // The line itself has room for more of its words than the one that quotes it.
      std::string place = FileLine(item.file, item.line);
      if (!item.text.empty() && IsQuotedBy(wording, same->wording)) {
        place = FileLine(same->proof.file, same->proof.line);
        same->proof.file = item.file;
        same->proof.line = item.line;
        same->proof.text = item.text;
        same->wording = std::move(wording);
      }
      same->proof.also.push_back(std::move(place));
      continue;
    }
    const bool fresh = rules.insert(item.rule).second || other_side;
    Choice& choice = choices.emplace_back();
    choice.proof = QuoteOf(item.file, item.line, item.text);
    // Whose line it is nothing else says: "the last line of rank 3", of no rule. Without a text the caption is the
    // proof.
    const bool repeats = SaysNothingMore(item.note, item.rule.empty() ? item.text : item.text + " " + above);
    if (item.text.empty() || !repeats) {
      choice.proof.note = item.note;
    }
    choice.wording = std::move(wording);
    choice.weight = WeightOf(item);
    choice.first_of_rule = fresh;
    choice.order = choices.size() - 1;
    choice.rule = item.rule;
  }
  // Chosen by what tells most, then told in the order of the evidence.
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::pair(!a.first_of_rule, a.weight) < std::pair(!b.first_of_rule, b.weight);
  });
  if (choices.size() > most) choices.resize(most);
  std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::pair(a.weight, a.order) < std::pair(b.weight, b.order);
  });
  std::vector<Proof> out;
  for (Choice& c : choices) out.push_back(std::move(c.proof));
  return out;
}

// The last words of the silent one, and of one who said more.
void AddLifeSigns(const Report& report, const Words& words, size_t most, std::vector<Proof>* out) {
  if (report.job.communicators.empty()) return;
  const std::vector<ReportRank>& ranks = report.job.communicators.front().ranks;
  // Not a line that is quoted already.
  const auto add = [&](const ReportRank& rank) {
    const auto quoted = [&](const Proof& p) { return p.file == rank.file && p.line == rank.last_line; };
    if (out->size() >= most || std::any_of(out->begin(), out->end(), quoted)) return;
    out->push_back(
        {rank.file, rank.last_line, rank.last_text, Filled(words.last_of_rank, std::to_string(rank.rank)), 1, {}});
  };
  const auto silent = std::find_if(ranks.begin(), ranks.end(), [](const ReportRank& r) { return r.culprit; });
  if (silent == ranks.end()) return;
  if (silent->last_line > 0) add(*silent);
  // In one file the line of who said more stands behind that of the silent one.
  const auto said_more = [&](const ReportRank& r) {
    return !r.culprit && r.last_line > 0 && (r.file != silent->file || r.last_line > silent->last_line);
  };
  const auto other = std::find_if(ranks.begin(), ranks.end(), said_more);
  if (other != ranks.end()) add(*other);
}

// Without addresses and what leads to them: long ones would push out what is said of them.
//   NET/IB: Got completion from peer 10.77.0.11<51924> with status=IBV_WC_RETRY_EXC_ERR(12)
std::string WithoutAddresses(const std::string& text) {
  constexpr std::string_view kLeading[] = {"by", "from", "peer", "remote", "to"};
  std::vector<std::string_view> kept;
  for (const std::string_view word : SplitWords(text)) {
    const size_t port = word.find('<');
    // `10.77.0.11<51924>`: an address has its port in angle brackets.
    const bool address = port != std::string_view::npos && word.ends_with('>') &&
                         word.substr(0, port).find_first_of(".:") != std::string_view::npos;
    if (!address) kept.push_back(word);
    // `peer`, `to`, `from` in front of an address say nothing without it.
    const auto leads = [&] { return std::find(std::begin(kLeading), std::end(kLeading), kept.back()); };
    while (address && !kept.empty() && leads() != std::end(kLeading)) kept.pop_back();
  }
  return fmt::format("{}", fmt::join(kept, " "));
}

std::string Clipped(const std::string& raw) {
  std::string text;  // without the columns of a shell's table
  // Runs of blanks are one.
  for (const char c : raw) {
    if (c != ' ' || !text.ends_with(' ')) text += c;
  }
  std::string_view part = PrefixOfWidth(text, kLinkColumns);
  if (part.size() == text.size()) return text;
  text = WithoutAddresses(text);
  part = PrefixOfWidth(text, kLinkColumns);
  if (part.size() == text.size()) return text;
  return WithCutSign(WholeWords(text, kLinkColumns - 2));  // with its sign as long as one that is whole
}

// "rank 2: step watchdog" of several ranks' lines, without whose the first of them is.
std::string WithoutRank(std::string text, const Words& words) {
  const size_t colon = text.find(": ");
  const std::string_view head = std::string_view(text).substr(0, std::min(colon, text.size()));
  const size_t digits = head.find_last_not_of("0123456789");
  if (colon == std::string::npos || digits + 1 == head.size() || digits == std::string_view::npos) return text;
  return head == Filled(Plural(words.ranks_named, 1), head.substr(digits + 1)) ? text.substr(colon + 2) : text;
}

}  // namespace

std::vector<Proof> ProofOf(const Report& report, const Words& words, size_t most) {
  std::vector<Proof> out;
  // Undetermined: the failing lines themselves are the proof.
  if (report.verdict == Verdict::kUndetermined && !report.consequences.empty()) {
    for (const Consequence& item : report.consequences) {
      if (out.size() >= most) break;
      out.push_back(QuoteOf(item.file, item.line, item.text));
      out.back().count = item.count;
    }
    return out;
  }
  if (!report.causes.empty()) out = FromEvidence(report.causes.front(), most);
  // What is missing, and what nobody answered to, is shown by the last lines of ranks.
  const bool silence = report.outcome == Outcome::kHung ||
                       std::any_of(out.begin(), out.end(), [](const Proof& p) { return p.line == 0; });
  if (silence && NamedCause(report) != nullptr) AddLifeSigns(report, words, most, &out);
  return out;
}

std::vector<std::string> ChainOf(const Report& report, const std::vector<Proof>& quoted, const Words& words) {
  const bool failed = report.verdict == Verdict::kFailure || report.verdict == Verdict::kUndetermined;
  if (!failed) return {};
  struct Link {
    std::string text;
    std::string wording;
    uint64_t count;
    std::vector<int32_t> ranks;
    std::string place;
    bool ending;
    bool generic;  // an ending in the words of a rule: "A Python program ends with an exception"
  };
  std::vector<Link> links;
  std::set<std::string> told;
  for (const Proof& proof : quoted) {
    told.insert(Wording(proof.text));
    told.insert(Wording(proof.note));
  }
  const auto quotes = [&](const std::string& file, uint64_t line) {
    const auto there = [&](const auto& item) { return item.file == file && item.line == line; };
    return std::any_of(quoted.begin(), quoted.end(), there) ||
           std::any_of(report.harmless.begin(), report.harmless.end(), there);  // told as what it is not
  };
  // What is quoted above is not told again, and what several say in the same words is told once.
  const auto add = [&](const std::string& text, const TimelineStep& step) {
    const std::string wording = Wording(text);
    const auto same = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.wording == wording; });
    if (same != links.end()) {
      same->count += step.count;
      same->ranks.insert(same->ranks.end(), step.ranks.begin(), step.ranks.end());
    } else if (!text.empty() && !told.contains(wording) && !told.contains(Wording(step.text))) {
      const bool ending = step.kind == "ending";
      links.push_back({text, wording, step.count, step.ranks, PlaceInLine(report, step.file, step.line), ending,
                       ending && step.what != step.text});
      told.insert(Wording(step.text));
    }
  };
  for (const TimelineStep& step : report.timeline) {
    if ((step.kind != "consequence" && step.kind != "ending") || quotes(step.file, step.line)) continue;
    // Without its time and count: those of several links would be added up.
    TimelineStep link = step;  // the order is what a chain tells
    link.time.clear();
    link.count = 1;
    link.ranks.clear();  // they are told of all that say it
    add(std::string(WithoutLoggerPrefix(StepLine(link, words))), step);
  }
  // What befell ranks is told once of each: the first says what, the others how their programs put it.
  std::set<int32_t> befallen;
  std::erase_if(links, [&](const Link& link) {
    const bool fresh =
        std::any_of(link.ranks.begin(), link.ranks.end(), [&](int32_t r) { return !befallen.contains(r); });
    befallen.insert(link.ranks.begin(), link.ranks.end());
    return !link.ending && !link.ranks.empty() && !fresh;
  });
  // How it ended is mostly said by others.
  if (links.size() > kEnoughLinks) std::erase_if(links, [](const Link& link) { return link.generic; });
  std::vector<std::string> out;
  for (Link& link : links) {
    std::sort(link.ranks.begin(), link.ranks.end());
    link.ranks.erase(std::unique(link.ranks.begin(), link.ranks.end()), link.ranks.end());
    std::string who = link.ranks.empty() ? std::string() : RanksNamed(link.ranks, words);
    // A text that says whose it is needs no rank in front.
    if (link.text.find(who) != std::string::npos) who.clear();
    if (!who.empty()) who = Filled(words.label, who);
    if (!who.empty()) link.text = WithoutRank(std::move(link.text), words);
    std::string place = link.place;
    if (link.count > 1 && link.ranks.size() != link.count) {
      place +=
          // The count only where it is not the number of the ranks in front.
          (place.empty() ? "" : std::string(words.clause_separator)) + Filled(words.times, std::to_string(link.count));
    }
    out.push_back(who + Clipped(link.text) + Aside(place));
  }
  return out;
}

std::string Joined(std::vector<std::string> chain, size_t columns) {
  while (chain.size() > 1) {
    const std::string last = std::move(chain.back());
    chain.pop_back();
    // Links are left out at the end until the last one, how it ended, fits behind.
    if (DisplayWidth(Joined(chain)) + kTellingColumns > columns) continue;
    chain.push_back(last);
    break;
  }
  return fmt::format("{}", fmt::join(chain, " \xE2\x86\x92 "));  // →
}

bool IsPartOf(std::string_view command, std::string_view longer) {
  std::string fix(longer);
  std::string asked(command);  // "df -h /dev/shm; ls": the end of a command is no part of its last word
  // Words of the one that are all in the other, in whatever order.
  for (std::string* text : {&fix, &asked}) std::replace(text->begin(), text->end(), ';', ' ');
  const std::vector<std::string_view> said = SplitWords(fix);
  const std::vector<std::string_view> words = SplitWords(asked);
  return std::all_of(words.begin(), words.end(),
                     [&](auto word) { return std::find(said.begin(), said.end(), word) != said.end(); });
}

std::string PlaceInLine(const Report& report, std::string_view file, uint64_t line) {
  const std::string name = FileLine(file.substr(file.rfind('/') + 1), line);
  // One source with a long name: the number of the line is enough.
  const bool known = report.coverage.sources == 1 && DisplayWidth(name) > kLongName;
  return known ? name.substr(name.rfind(':')) : name;
}

std::string CommonPlace(const std::vector<std::string>& names) {
  const bool one =
      !names.empty() && std::all_of(names.begin(), names.end(), [&](auto& n) { return n == names.front(); });
  if (one && DisplayWidth(names.front().substr(names.front().rfind('/') + 1)) > kLongName) return names.front();
  std::string folder;
  bool begun = false;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const std::string own = name.substr(0, name.rfind('/') + 1);
    if (!begun) folder = own;
    begun = true;
    // Up one folder at a time until it holds this one as well.
    while (!own.starts_with(folder)) {
      folder.pop_back();
      folder.resize(folder.rfind('/') + 1);
    }
  }
  return folder;
}

}  // namespace ncclwhy
