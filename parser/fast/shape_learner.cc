#include "parser/fast/shape_learner.h"

#include <algorithm>

#include "base/hash.h"
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// Whether a second record, or something that must be decoded first, may stand in a text of this shape. No number can
// make or break the words that tell: `NCCL INFO`, `[rank3]:`, `[E ProcessGroupNCCL.cpp:458] `, &lt;
bool MayHoldMore(std::string_view shape) {
  if (scan::Contains(shape, "&") || scan::Contains(shape, "NCCL ")) return true;
  for (size_t at = scan::Find(shape, "["); at != std::string_view::npos; at = scan::Find(shape, "[", at + 1)) {
    if (at + 1 < shape.size() && scan::IsAlpha(shape[at + 1])) return true;
  }
  return false;
}

// Facts of its own for a text that stands for all of its shape.
class Trial {
 public:
  Trial(LogLevel level, std::string_view body) {
    line_.number = 1;
    line_.raw = line_.text = line_.body = body;
    line_.header.present = true;
    line_.header.level = level;
    line_.dialect = Dialect::kNccl;
  }
  Extraction x() { return {line_, kNoProcess, builder_}; }
  bool MadeNothing() const { return facts_.events.empty() && facts_.connections.empty() && facts_.collectives.empty(); }

 private:
  SourceFacts facts_;
  FactsBuilder builder_{&facts_};
  ParsedLine line_;
};

// Whether extractors leave no event, edge or collective of a message behind.
bool MakesNothing(LogLevel level, std::string_view body) {
  Trial trial(level, body);
  ExtractFamily family = nullptr;
  const Extraction x = trial.x();
  return ExtractQuiet(x, true) != Known::kQuiet && ExtractNccl(x, &family) != Known::kQuiet && trial.MadeNothing();
}

// Extractors look for words, never for a number (parser/extract/extract.h), so texts with the smallest and the largest
// numbers tell. Calls ask(text) until it says false.
template <typename Ask>
bool HoldsForAll(std::string_view shape, Ask ask) {
  using skeleton::Fill;
  using skeleton::kMostDigits;
  using skeleton::kMostHexDigits;
  for (const std::string& body : {Fill(shape, '0', 1, '0', 1), Fill(shape, '9', kMostDigits, '9', kMostHexDigits),
                                  Fill(shape, '1', 1, 'a', 1), Fill(shape, '1', kMostDigits, 'f', kMostHexDigits)}) {
    if (!ask(body)) return false;
  }
  return true;
}

}  // namespace

bool IsFamilyOfShape(LogLevel level, std::string_view shape, ExtractFamily family) {
  return HoldsForAll(shape, [&](std::string_view body) {
    Trial trial(level, body);
    ExtractFamily found = nullptr;
    ExtractNccl(trial.x(), &found);
    return found == family;
  });
}

void ShapeLearner::Note(LogLevel known, size_t known_size, const ParsedLine& line, int message, ShapeMemo* memo) {
  if (prover_ == nullptr || message < 0 || memo->full() || questions_ >= kMostQuestions) return;
  const auto header = static_cast<size_t>(line.body.data() - line.text.data());
  if (header < known_size) return;
  std::string_view head = line.text.substr(known_size, header - known_size);
  if (known == LogLevel::kNone) {
    std::array<char, 2 * swar::kLeastSame> beginning{};
    std::copy_n(head.data(), std::min(head.size(), beginning.size()), beginning.data());
    const size_t milliseconds = ShapeMemo::MillisecondsAt(beginning.data());
    if (milliseconds == 0 || milliseconds > head.size()) return;
    head.remove_prefix(milliseconds);
  }
  if (head.size() > skeleton::kMostBytes) return;
  shape_.clear();
  if (!skeleton::Append(line.body, &shape_)) return;
  const uint64_t hash = HashQuickly(shape_, HashQuickly(head, static_cast<uint64_t>(known)));
  Candidate& c = candidates_[hash % kSlots];
  if (c.hash != hash) c = {hash, 0};
  if (c.count == kAsked || ++c.count < kOften) return;
  c.count = kAsked;
  ++questions_;
  if (IsUneventful(line.header.level, message)) memo->Keep(known, head, shape_, message, words_);
}

bool ShapeLearner::IsUneventful(LogLevel level, int message) {
  words_.clear();
  return !MayHoldMore(shape_) && prover_->OnlyCounts(level, shape_, message, &words_) &&
         HoldsForAll(shape_, [&](std::string_view body) { return MakesNothing(level, body); });
}

}  // namespace ncclwhy
