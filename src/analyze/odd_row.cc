#include "analyze/odd_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyze/place_evidence.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr size_t kLeast = 3;  // rows that are compared, the odd one with them
constexpr size_t kMostOdd = 2;

struct Row {
  uint32_t line = 0;
  std::string_view text;
  std::vector<std::string_view> words;
};
// What the table says of one host: a row, or the rows below its heading.
using Rows = std::vector<Row>;

// A name without its domain and what stands around it: `n0421:`, `[n0421]`, `n0421.hpc.local`.
std::string_view BareName(std::string_view word) {
  while (!word.empty() && !IsAlnum(word.front())) word.remove_prefix(1);
  while (!word.empty() && !IsAlnum(word.back())) word.remove_suffix(1);
  return word.substr(0, word.find('.'));
}

// Names that a site gives alike: n0421 and n0422, gpu-a17 and gpu-b3.
bool AreAlike(std::string_view a, std::string_view b) {
  const auto shape = [](std::string_view name) {
    std::string out;
    for (const char c : name) {
      if (!IsDigit(c)) out += c;
    }
    return out;
  };
  return a.find_first_of("0123456789") != std::string_view::npos && shape(a) == shape(b);
}

// The name of a host like `who` that the row begins with, or that is its second word at most behind marks.
std::string_view NameIn(const Row& row, std::string_view who) {
  for (size_t i = 0; i < std::min<size_t>(row.words.size(), 2); ++i) {
    const std::string_view name = BareName(row.words[i]);
    if (name == who || AreAlike(name, who)) return name;
    if (!name.empty() && i == 0 && row.words[0].find_first_of("=#-[$>") == std::string_view::npos) break;
  }
  return {};
}

bool IsHeading(const Row& row, std::string_view name) {
  // Nothing else but marks stands in it: `== n0421 ==`
  return std::all_of(row.words.begin(), row.words.end(),
                     [&](std::string_view word) { return BareName(word).empty() || BareName(word) == name; });
}

std::map<std::string_view, Rows> RowsOfHosts(const SourceFacts& facts, std::string_view who) {
  std::map<std::string_view, Rows> out;
  std::string_view heading;
  for (const SideRow& side : facts.rows) {
    Row row{side.line, facts.Str(side.text), {}};
    row.words = SplitWords(row.text);
    const std::string_view name = NameIn(row, who);
    if (!name.empty() && IsHeading(row, name)) {
      heading = name;
      out[name];
    } else if (!name.empty()) {
      row.words.erase(row.words.begin());
      out[name].push_back(std::move(row));
      heading = {};
    } else if (!heading.empty()) {
      out[heading].push_back(std::move(row));
    }
  }
  return out;
}

// What all others have in common in the words in which `mine` differs from them; empty where they do not agree.
std::string OthersSay(const Row& mine, size_t at, const std::map<std::string_view, Rows>& hosts, std::string_view who) {
  std::string out;
  for (size_t word = 0; word < mine.words.size(); ++word) {
    std::string_view said;
    size_t others = 0;
    for (const auto& [name, rows] : hosts) {
      if (name == who) continue;
      if (at >= rows.size() || rows[at].words.size() != mine.words.size()) return {};
      const std::string_view theirs = rows[at].words[word];
      if (others++ > 0 && theirs != said) {
        said = {};
        break;
      }
      said = theirs;
    }
    // A word in which the others differ, too, tells nothing.
    if (!said.empty() && said != mine.words[word]) out += (out.empty() ? "" : " ") + std::string(said);
  }
  return out;
}

}  // namespace

std::vector<Evidence> OddRows(const CaseFile& c, const std::vector<Culprit>& culprits) {
  std::vector<Evidence> out;
  if (culprits.empty() || culprits.front().host.empty()) return out;
  const std::string_view who = BareName(culprits.front().host);
  const bool one =
      std::all_of(culprits.begin(), culprits.end(), [&](const Culprit& each) { return BareName(each.host) == who; });
  if (!one || who.empty()) return out;
  for (uint32_t s = 0; s < c.model.sources.size(); ++s) {
    const SourceFacts& facts = *c.model.sources[s];
    if (facts.rows.empty()) continue;
    const std::map<std::string_view, Rows> hosts = RowsOfHosts(facts, who);
    const auto mine = hosts.find(who);
    if (mine == hosts.end() || hosts.size() < kLeast) continue;
    for (const bool lone : {false, true}) {
      for (size_t at = 0; at < mine->second.size() && out.size() < kMostOdd; ++at) {
        const Row& row = mine->second[at];
        // `LimitMEMLOCK=65536` says more than the `64` that a command answered.
        if (lone != (row.words.size() == 1 && row.text.find('=') == std::string_view::npos)) continue;
        const std::string others = OthersSay(row, at, hosts, who);
        if (others.empty()) continue;
        Evidence e = PlaceEvidence(c.model, {SourceId{s}, row.line, 0, row.text}, "supporting");
        e.note = fmt::format(fmt::runtime(c.chinese() ? "其他 {} 台为：{}" : "on the other {}: {}"), hosts.size() - 1,
                             others);
        out.push_back(std::move(e));
      }
    }
  }
  return out;
}

}  // namespace ncclwhy
