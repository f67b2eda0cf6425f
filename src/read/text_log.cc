#include "read/text_log.h"

#include <algorithm>
#include <compare>
#include <set>
#include <string>
#include <utility>

#include "base/limits.h"
#include "parser/find_frame.h"
#include "parser/name_files.h"
#include "parser/segments.h"
#include "parser/typewritten.h"
#include "parser/unglue.h"
#include "parser/unwrap.h"
#include "read/lost_headers.h"
#include "read/newest_first.h"
#include "read/segment_digest.h"
#include "read/side_rows.h"

namespace ncclwhy {
namespace {

// Patterns of rules that match, and messages that are known; those of last resorts apart.
struct Understood {
  size_t certain = 0, guessed = 0;
  auto operator<=>(const Understood&) const = default;
};

// A last resort takes any complaint, and the pieces of a broken line are several ("WARN Cuda failure 401 'the operation
// cannot be performed in the", "present state'"): guesses only count where nothing else differs.
Understood Known(const SourceDigest& digest, const RuleSet& rules) {
  std::set<uint32_t> certain, guessed;
  for (const Hit& hit : digest.hits.hits) {
    const Rule* rule = rules.RuleOf(hit);
    if (rule != nullptr) (rule->last_resort ? guessed : certain).insert(hit.pattern);
  }
  return {certain.size() + digest.messages.size(), guessed.size()};
}

uint64_t NotUnderstood(const SourceDigest& digest) {
  return digest.facts.counters.Get(Counter::kUnrecognised) + digest.facts.counters.Get(Counter::kDamaged);
}

// A line that was broken is not known, or only its beginning is.
bool SaysMore(const SourceDigest& joined, const SourceDigest& broken, const RuleSet& rules) {
  const Understood one = Known(joined, rules), other = Known(broken, rules);
  return one > other || (one == other && NotUnderstood(joined) < NotUnderstood(broken));
}

// Joining that puts a record behind another in every fourth place took apart what was whole.
bool JoinsRecords(const SourceDigest& joined, const SourceDigest& broken, uint64_t joins) {
  const uint64_t before = broken.facts.counters.Get(Counter::kGluedRecords);
  const uint64_t after = joined.facts.counters.Get(Counter::kGluedRecords);
  return after > before && (after - before) * 4 > joins;
}

// Digests a text segment by segment (parser/segments.h), in one thread; SegmentedRead does it in many.
class TextLog : public Witness {
 public:
  explicit TextLog(const WitnessContext& context) : context_(context), cutter_(context.options.segment_bytes) {}

  void Push(std::string_view chunk) override;
  SourceDigest Finish() override;

 private:
  void Begin();
  void Hold(std::string_view chunk);
  void LetGo(std::string_view text);
  void Take(std::string_view chunk);
  void BeginSegment();
  void Remember(std::string_view chunk);
  SourceDigest Digest(std::string_view text, const ParserOptions& options) const;
  SourceDigest Repaired(SourceDigest digest);
  // The text as it may have been before somebody copied it.
  struct Repair {
    std::string text;
    ParserOptions options;
    Counter counter;  // of what was changed
    uint64_t changes = 0;
    bool sure = false;  // it is right, whether or not it says more
  };
  // True: it was taken.
  bool Try(Repair repair, SourceDigest& digest);
  bool SaysNothingNew(const Unwrapped& unwrapped, const ParserOptions& options, const SourceDigest& digest) const;

  WitnessContext context_;
  std::string head_;  // held back until the frame is known
  SegmentCutter cutter_;
  std::unique_ptr<SegmentDigest> first_;
  std::unique_ptr<const SegmentDigest> learned_;  // what later segments start from
  std::unique_ptr<SegmentDigest> later_;
  SegmentDigest* now_ = nullptr;  // one of first_ and later_
  bool ended_ = false;            // a new segment begins with the next byte
  std::string pasted_;            // all that was pushed, while that is little
  bool long_ = false;             // it was more
  bool backwards_ = false;        // its beginning runs backwards, so it is kept:
  std::string held_;              // all of it, up to the size of a segment
};

void TextLog::Push(std::string_view chunk) {
  Remember(chunk);
  if (backwards_) return Hold(chunk);
  if (now_ == nullptr) {
    const size_t wanted = std::min(kFrameBytes - head_.size(), chunk.size());
    head_ += chunk.substr(0, wanted);
    chunk.remove_prefix(wanted);
    if (head_.size() < kFrameBytes) return;
    if (RunsBackwards(head_)) {
      backwards_ = true;
      held_ = std::move(head_);
      head_ = {};
      return Hold(chunk);
    }
    Begin();
  }
  Take(chunk);
}

// What is longer than a segment is read as it comes.
void TextLog::Hold(std::string_view chunk) {
  held_ += chunk;
  if (held_.size() <= context_.options.segment_bytes) return;
  backwards_ = false;
  LetGo(held_);
  held_ = {};
}

void TextLog::LetGo(std::string_view text) {
  head_ = text.substr(0, kFrameBytes);
  Begin();
  Take(text.substr(std::min(kFrameBytes, text.size())));
}

void TextLog::Begin() {
  context_.options.frame = FindFrame(head_);
  first_ = std::make_unique<SegmentDigest>(context_);
  now_ = first_.get();
  Take(head_);
  head_ = {};
}

void TextLog::Take(std::string_view chunk) {
  while (!chunk.empty()) {
    if (ended_) BeginSegment();
    const SegmentCutter::Cut cut = cutter_.Take(chunk);
    now_->Push(chunk.substr(0, cut.size));
    chunk.remove_prefix(cut.size);
    ended_ = cut.ends && first_->CanBeCut();
  }
}

void TextLog::BeginSegment() {
  if (learned_ == nullptr) {
    first_->End();
    learned_ = first_->NewSegment(0);
  }
  if (later_ != nullptr) first_->Join(*later_);
  later_ = learned_->NewSegment(cutter_.offset());
  now_ = later_.get();
}

void TextLog::Remember(std::string_view chunk) {
  if (long_) return;
  if (pasted_.size() + chunk.size() <= limits::kPastedBytes) {
    pasted_ += chunk;
  } else {
    long_ = true;
    pasted_ = {};
  }
}

// As a source of its own, in one segment: a text that is kept is shorter than one.
SourceDigest TextLog::Digest(std::string_view text, const ParserOptions& options) const {
  WitnessContext context = context_;
  context.options = options;
  SegmentDigest whole(context);
  whole.Push(text);
  return whole.Finish();
}

// Reads the repaired text and takes it where that says more.
bool TextLog::Try(Repair repair, SourceDigest& digest) {
  SourceDigest again = Digest(repair.text, repair.options);
  if (!repair.sure && !SaysMore(again, digest, context_.rules)) return false;
  // A list of short records looks like wrapped lines.
  if (repair.counter == Counter::kRejoinedLines && JoinsRecords(again, digest, repair.changes)) return false;
  again.facts.bytes = digest.facts.bytes;
  for (const Counter kept : {Counter::kRejoinedLines, Counter::kSplitLines}) {
    again.facts.counters.Add(kept, digest.facts.counters.Get(kept));
  }
  again.facts.counters.Add(repair.counter, repair.changes);
  digest = std::move(again);
  pasted_ = std::move(repair.text);
  context_.options = std::move(repair.options);
  return true;
}

// The other lines say what they said, and everything was understood: so only what these few lines say now could be
// more. In the file of a rank one line is the longest, and what a program prints behind it looks like its rest.
bool TextLog::SaysNothingNew(const Unwrapped& unwrapped, const ParserOptions& options,
                             const SourceDigest& digest) const {
  if (!unwrapped.records || NotUnderstood(digest) > 0) return false;
  const SourceDigest joined = Digest(unwrapped.joined, options);
  if (joined.facts.counters.Get(Counter::kGluedRecords) > 0) return false;
  std::set<uint32_t> said;
  for (const Hit& hit : digest.hits.hits) said.insert(hit.pattern);
  return std::all_of(joined.hits.hits.begin(), joined.hits.hits.end(),
                     [&](const Hit& hit) { return said.contains(hit.pattern); }) &&
         std::all_of(joined.messages.begin(), joined.messages.end(),
                     [&](const auto& message) { return digest.messages.contains(message.first); });
}

SourceDigest TextLog::Finish() {
  // A short text never came to Begin.
  if (now_ == nullptr && !backwards_) {
    backwards_ = true;
    held_ = std::move(head_);
  }
  OldestFirst turned;
  if (backwards_) {
    if (RunsBackwards(held_)) turned = FromItsEnd(held_, context_.name);
    if (!turned.parts.empty() && !long_) pasted_ = turned.text;
    LetGo(turned.parts.empty() ? held_ : turned.text);
  }
  if (later_ != nullptr) first_->Join(*later_);
  SourceDigest digest = Repaired(first_->Finish());
  if (!turned.parts.empty()) digest.parts = std::move(turned.parts);
  if (!long_) KeepSideRows(pasted_, &digest.facts);
  return digest;
}

SourceDigest TextLog::Repaired(SourceDigest digest) {
  if (long_) return digest;
  if (Typewritten typed = AsTypewritten(pasted_); typed.changes > 0) {
    Try({std::move(typed.text), context_.options, Counter::kLines, 0, false}, digest);
  }
  Unglued unglued = Unglue(pasted_);
  if (unglued.cuts > 0) {
    // Where most lines hold several headers there is no doubt.
    const bool sure = unglued.sure * 2 >= digest.facts.counters.Get(Counter::kLines);
    Try({std::move(unglued.text), context_.options, Counter::kSplitLines, unglued.cuts, sure}, digest);
  }
  // `digested`: the digest is that of the text.
  const auto unwrap = [&](const std::string& text, const ParserOptions& options, bool digested) {
    BrokenLines lines(text);
    for (const Wrapping wrapping : {Wrapping::kHard, Wrapping::kSoft, Wrapping::kIndented}) {
      Unwrapped unwrapped = lines.Unwrap(wrapping);
      if (unwrapped.joins == 0 || (digested && SaysNothingNew(unwrapped, options, digest))) continue;
      const uint64_t joins = unwrapped.joins;
      const bool taken = Try({std::move(unwrapped.text), options, Counter::kRejoinedLines, joins, false}, digest);
      digested = digested && !taken;
    }
  };
  // Behind a prefix the lines are wider than they were when they were broken.
  const std::string broken = pasted_, inside = BareText(pasted_, context_.options.frame);
  ParserOptions bare = context_.options;
  bare.frame = {};
  unwrap(broken, context_.options, true);
  if (!inside.empty()) unwrap(inside, bare, false);
  const auto try_text = [&](std::string text) {
    if (!text.empty()) Try({std::move(text), context_.options, Counter::kLines, 0, false}, digest);
  };
  if (digest.facts.counters.Get(Counter::kNccl) == 0) try_text(WithHeaders(pasted_, context_.kb));
  try_text(NameFiles(pasted_));
  return digest;
}

}  // namespace

std::unique_ptr<Witness> NewTextLog(const WitnessContext& context) { return std::make_unique<TextLog>(context); }

}  // namespace ncclwhy
