#include "analyze/last_words.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/limits.h"
#include "base/text.h"
#include "job/rank_in_text.h"
#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

// Beats of other ranks that may come through the same stream before they, too, wait.
constexpr uint64_t kBeatsBehind = 2;

// Lines that may stand behind the last new one of a stream without work: the rest of a banner.
constexpr uint32_t kLinesBehind = 3;

// Whether work went on behind the line, or the line itself is work. Where nobody in the source works, whether its
// stream said more.
bool WentOn(const SourceFacts& facts, const NewsFacts& n) {
  const uint32_t line = n.lines.last;
  if (!facts.pulses.empty()) {
    return std::any_of(facts.pulses.begin(), facts.pulses.end(),
                       [&](const PulseFacts& p) { return p.beats.After(line) > kBeatsBehind || p.last.line == line; });
  }
  return n.process == kNoProcess || facts.processes[n.process].last.line > line + kLinesBehind;
}

// A sentence of any language, no ruler or bracket.
bool HasWords(std::string_view text) {
  constexpr long kLetters = 5;
  return std::count_if(text.begin(), text.end(), [](char c) { return IsAlpha(c) || (c & 0x80) != 0; }) >= kLetters;
}

// Of which lines it does not matter whose they are.
std::string Kind(std::string_view text) {
  std::string kind;
  if (!skeleton::Append(text.substr(0, skeleton::kMostBytes), &kind)) kind = text;
  return kind;
}

}  // namespace

std::vector<LastWord> LastWordsOf(const JobModel& model) {
  struct Word {
    LastWord word;
    uint32_t source;
    std::string kind;
  };
  std::vector<Word> words;
  std::map<std::string, int> said;
  const bool works = std::any_of(model.sources.begin(), model.sources.end(),
                                 [](const SourceFacts* facts) { return !facts->pulses.empty(); });
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    if (works && facts.pulses.empty()) continue;  // what it says is as old as it may be
    for (const NewsFacts& n : facts.news) {
      const std::string_view text = facts.Str(n.last);
      if (!HasWords(text) || WentOn(facts, n)) continue;
      Word w;
      w.source = s;
      w.kind = Kind(text);
      w.word.file = facts.name;
      w.word.line = n.lines.last;
      w.word.text = text;
      int32_t rank = RankInText(text);
      if (n.process != kNoProcess) {
        const ProcessFacts& p = facts.processes[n.process];
        if (rank < 0) rank = p.launcher_rank;
        w.word.host = model.NameOfHost(facts.Str(p.host));
      }
      if (rank >= 0) w.word.rank = rank;
      ++said[w.kind];
      words.push_back(std::move(w));
    }
  }
  // What several streams say alike is the last word of none of them: a banner, or all stand at the same place.
  std::erase_if(words, [&](const Word& w) { return said[w.kind] > 1; });
  std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
    return a.source != b.source ? a.source < b.source : a.word.line > b.word.line;
  });
  std::vector<LastWord> out;
  for (Word& w : words) {
    if (out.size() == limits::kLastWords) break;
    out.push_back(std::move(w.word));
  }
  return out;
}

}  // namespace ncclwhy
