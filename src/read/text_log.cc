#include "read/text_log.h"

#include <set>
#include <string>
#include <utility>

#include "base/limits.h"
#include "parser/segments.h"
#include "parser/unwrap.h"
#include "read/segment_digest.h"

namespace ncclwhy {
namespace {

// Patterns of rules that match, and messages that are known.
size_t Known(const SourceDigest& digest) {
  std::set<uint32_t> patterns;
  for (const Hit& hit : digest.hits.hits) patterns.insert(hit.pattern);
  return patterns.size() + digest.messages.size();
}

uint64_t NotUnderstood(const SourceDigest& digest) {
  return digest.facts.counters.Get(Counter::kUnrecognised) + digest.facts.counters.Get(Counter::kDamaged);
}

// A line that was broken is not known, or only its beginning is.
bool SaysMore(const SourceDigest& joined, const SourceDigest& broken) {
  const size_t one = Known(joined), other = Known(broken);
  return one > other || (one == other && NotUnderstood(joined) < NotUnderstood(broken));
}

// Digests a text segment by segment (parser/segments.h), in one thread; SegmentedRead does it in many.
class TextLog : public Witness {
 public:
  explicit TextLog(const WitnessContext& context)
      : context_(context),
        cutter_(context.options.segment_bytes),
        first_(std::make_unique<SegmentDigest>(context)),
        now_(first_.get()) {}

  void Push(std::string_view chunk) override;
  SourceDigest Finish() override;

 private:
  void BeginSegment();
  void Remember(std::string_view chunk);
  SourceDigest Digest(std::string_view text) const;

  const WitnessContext context_;
  SegmentCutter cutter_;
  std::unique_ptr<SegmentDigest> first_;
  std::unique_ptr<const SegmentDigest> learned_;  // what later segments start from
  std::unique_ptr<SegmentDigest> later_;
  SegmentDigest* now_;  // one of first_ and later_
  bool ended_ = false;  // a new segment begins with the next byte
  std::string pasted_;  // all that was pushed, while that is little
  bool long_ = false;   // it was more
};

void TextLog::Push(std::string_view chunk) {
  Remember(chunk);
  while (!chunk.empty()) {
    if (ended_) BeginSegment();
    const SegmentCutter::Cut cut = cutter_.Take(chunk);
    now_->Push(chunk.substr(0, cut.size));
    chunk.remove_prefix(cut.size);
    ended_ = cut.ends && first_->CanBeCut();
  }
}

void TextLog::BeginSegment() {
  if (learned_ == nullptr) learned_ = first_->NewSegment(0);
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

SourceDigest TextLog::Digest(std::string_view text) const {
  SegmentDigest whole(context_);
  whole.Push(text);
  return whole.Finish();
}

SourceDigest TextLog::Finish() {
  if (later_ != nullptr) first_->Join(*later_);
  SourceDigest digest = first_->Finish();
  if (long_) return digest;
  for (const Wrapping wrapping : {Wrapping::kHard, Wrapping::kSoft, Wrapping::kIndented}) {
    const Unwrapped unwrapped = Unwrap(pasted_, wrapping);
    if (unwrapped.joins == 0) continue;
    SourceDigest joined = Digest(unwrapped.text);
    if (!SaysMore(joined, digest)) continue;
    joined.facts.bytes = digest.facts.bytes;
    joined.facts.counters.Add(Counter::kRejoinedLines, unwrapped.joins);
    digest = std::move(joined);
  }
  return digest;
}

}  // namespace

std::unique_ptr<Witness> NewTextLog(const WitnessContext& context) { return std::make_unique<TextLog>(context); }

}  // namespace ncclwhy
