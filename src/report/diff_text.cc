// Two runs on one screen.
//
//   GOOD  monday/: HEALTHY  Nothing failed in these logs.
//   BAD   tuesday/: FAILURE  /dev/shm is too small  (shm.too-small, 93% sure)
//
//   Different: GOOD -> BAD
//     NCCL_SHM_DISABLE: not set -> 0
//     how far: ready -> rank 3 on gpu-a17: topology; the other 3: channels
#include <fmt/format.h>

#include <algorithm>

#include "ncclwhy/diff.h"
#include "report/layout.h"
#include "report/phrases.h"
#include "report/renderer.h"
#include "report/words.h"

namespace ncclwhy {
namespace {

// So much fits on a screen of 24 lines beside the two headlines and a few problems.
constexpr size_t kSettings = 9;
constexpr size_t kOnlyBadShown = 8;
constexpr size_t kOnlyGoodShown = 3;
constexpr size_t kMostProblems = 3;
// Of the ranks that have a value, and of a value: the rest is in the JSON.
constexpr size_t kValueBytes = 160;

std::string Clipped(const std::string& text) {
  if (text.size() <= kValueBytes) return text;
  // Not in the middle of a character.
  size_t end = kValueBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

class DiffText {
 public:
  DiffText(const JobDiff& diff, const RenderOptions& options)
      : diff_(diff), words_(WordsOf(options.language)), layout_(options.width, options.color) {}

  std::string Render() {
    Side(words_.diff_good, diff_.good);
    Side(words_.diff_bad, diff_.bad);
    // Alike: one sentence, and none of the sections that follow.
    if (diff_.same()) {
      layout_.Blank();
      layout_.Prose("", words_.diff_same);
    }
    Settings();
    Messages(DifferenceKind::kOnlyBad, words_.diff_only_bad, kOnlyBadShown);
    Messages(DifferenceKind::kOnlyGood, words_.diff_only_good, kOnlyGoodShown);
    Problems();
    return layout_.Take();
  }

 private:
  void Side(std::string_view head, const DiffSide& side) {
    std::string line = Filled(words_.label, side.name) + std::string(VerdictWord(side.verdict, words_));
    if (side.verdict == Verdict::kFailure && !side.cause.empty()) {
      // Title, cause and how sure in one line: the summary would be as long as the rest of the screen.
      line += fmt::format("  {}  ({}, {})", side.title, side.cause,
                          Filled(words_.confidence, std::to_string(Percent(side.confidence))));
    } else {
      line += fmt::format("  {}", VerdictSentence(side.verdict, words_));
    }
    const Style style = side.verdict == Verdict::kFailure   ? Style::kRed
                        : side.verdict == Verdict::kHealthy ? Style::kGreen
                                                            : Style::kYellow;
    layout_.Headed(head, style, line);
    if (!side.culprits.empty()) layout_.Prose("  ", CulpritSentence(side.culprits.front(), words_));
    const std::string job = JobSentence(side.job, words_);
    if (!job.empty()) layout_.Prose("  ", job, Style::kDim);
  }

  std::vector<const Difference*> Of(DifferenceKind kind) const {
    std::vector<const Difference*> out;
    for (const Difference& d : diff_.differences) {
      if (d.kind == kind) out.push_back(&d);
    }
    return out;
  }

  void Settings() {
    const std::vector<const Difference*> all = Of(DifferenceKind::kSetting);
    if (all.empty()) return;
    layout_.Title(words_.diff_settings);
    const size_t shown = std::min(all.size(), kSettings);
    for (size_t i = 0; i < shown; ++i) {
      const Difference& d = *all[i];
      std::string line =
          Filled(words_.label, d.label) + Clipped(d.good) + std::string(words_.diff_arrow) + Clipped(d.bad);
      if (!d.who.empty()) line += fmt::format(" ({})", d.who);
      if (d.line > 0) line += fmt::format(" [{}]", FileLine(d.file, d.line));
      layout_.Prose("  ", line);
    }
    if (all.size() > shown) layout_.Prose("  ", Counted(words_.more_differences, all.size() - shown), Style::kDim);
  }

  void Messages(DifferenceKind kind, std::string_view title, size_t most) {
    const std::vector<const Difference*> all = Of(kind);
    if (all.empty()) return;
    layout_.Title(title);
    const size_t shown = std::min(all.size(), most);
    for (size_t i = 0; i < shown; ++i) {
      const Difference& d = *all[i];
      // Who printed it and how often, in one pair of brackets.
      std::string notes = d.who;
      if (d.count > 1) {
        if (!notes.empty()) notes += words_.list_separator;
        notes += Filled(words_.times, std::to_string(d.count));
      }
      const std::string head = FileLine(d.file, d.line) + (notes.empty() ? "" : fmt::format(" ({})", notes));
      layout_.LogText("  ", fmt::format("{}: {}", head, Clipped(d.text)), 1);
    }
    if (all.size() > shown) layout_.Prose("  ", Counted(words_.more_messages, all.size() - shown), Style::kDim);
  }

  void Problems() {
    std::vector<std::string> all = diff_.good.problems;
    all.insert(all.end(), diff_.bad.problems.begin(), diff_.bad.problems.end());
    if (all.empty()) return;
    layout_.Title(words_.problems);
    const size_t shown = std::min(all.size(), kMostProblems);
    for (size_t i = 0; i < shown; ++i) layout_.Prose("  - ", all[i], Style::kYellow);
    if (all.size() > shown) layout_.Prose("  ", Counted(words_.more_items, all.size() - shown), Style::kDim);
  }

  const JobDiff& diff_;
  const Words& words_;
  Layout layout_;
};

}  // namespace

std::string RenderDiffText(const JobDiff& diff, const RenderOptions& options) {
  return DiffText(diff, options).Render();
}

}  // namespace ncclwhy
