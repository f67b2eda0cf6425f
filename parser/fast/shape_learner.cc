#include "parser/fast/shape_learner.h"

#include <algorithm>

#include "base/hash.h"

namespace ncclwhy {
namespace {

// Whether neither a second record nor something that must be decoded first may stand in a text of this shape. No number
// can make or break the words that tell: `NCCL INFO`, `[rank3]:`, `[E ProcessGroupNCCL.cpp:458] `, &lt;
bool HoldsOneRecord(std::string_view shape) {
  for (const std::string_view word : {"&", "NCCL ", "[rank", "[E", "[W", "[I", "[F"}) {
    if (shape.find(word) != std::string_view::npos) return false;
  }
  return true;
}

// Whether a memo has room for it, and its letters can be compared.
bool Fits(std::string_view shape) {
  const auto is_number = [](char c) { return skeleton::IsNumber(c); };
  const auto is_plain = [](char c) { return skeleton::IsNumber(c) || (c >= ' ' && c <= '~'); };
  const auto numbers = static_cast<size_t>(std::count_if(shape.begin(), shape.end(), is_number));
  return !shape.empty() && numbers <= skeleton::kMostNumbers && shape.size() - numbers <= skeleton::kMostBytes &&
         std::all_of(shape.begin(), shape.end(), is_plain);
}

}  // namespace

void ShapeLearner::Note(LogLevel known, std::string_view head, const ParsedLine& line, bool quiet, int message,
                        ShapeMemo* memo) {
  if ((!quiet && prover_ == nullptr) || memo->full() || questions_ >= kMostQuestions) return;
  if (head.size() > skeleton::kMostBytes || !patience_.Asks()) return;
  const std::string_view shape = shapes_.Of(line.body);
  if (!Fits(shape)) return;
  const uint64_t hash = HashQuickly(shape, HashQuickly(head, static_cast<uint64_t>(known)));
  Candidate& c = candidates_[hash % kSlots];
  if (c.hash != hash) c = {hash, 0};
  patience_.Tell(c.count > 0);
  if (c.count == kAsked || ++c.count < (quiet ? kOftenQuiet : kOften)) return;
  c.count = kAsked;
  ++questions_;
  LineMeaning meaning;
  words_.clear();
  const LogLevel level = line.header.level;
  const bool sure = quiet ? LearnQuiet(level, shape, &meaning) : Ask(level, shape, message, &meaning);
  const bool placed = meaning.kind == LineMeaning::Kind::kCounted || (known == level && head.empty());
  if (sure && placed) memo->Keep(known, head, line.body, shape, shapes_.numbers(), meaning, words_);
}

// What holds for all lines of which extractors make nothing.
bool ShapeLearner::Ask(LogLevel level, std::string_view shape, int message, LineMeaning* meaning) {
  if (!HoldsOneRecord(shape) || !IsNobodys(level, shape)) return false;
  meaning->message = message;
  if (prover_->OnlyCounts(level, shape, message, &words_)) return true;
  words_.clear();
  meaning->kind = LineMeaning::Kind::kShown;
  meaning->shape = shape;
  return prover_->MessageOf(level, shape) == message;
}

}  // namespace ncclwhy
