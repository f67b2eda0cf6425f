#include "read/digest.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/limits.h"
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

uint64_t Strange(const SourceDigest& digest) {
  return digest.facts.counters.Get(Counter::kUnrecognised) + digest.facts.counters.Get(Counter::kDamaged);
}

// A line that was broken is not known, or only its beginning is.
bool SaysMore(const SourceDigest& joined, const SourceDigest& broken) {
  const size_t one = Known(joined), other = Known(broken);
  return one > other || (one == other && Strange(joined) < Strange(broken));
}

}  // namespace

void OrderByName(std::vector<SourceDigest>* digests) {
  std::stable_sort(digests->begin(), digests->end(),
                   [](const SourceDigest& a, const SourceDigest& b) { return a.facts.name < b.facts.name; });
  std::set<std::string> used;
  for (SourceDigest& digest : *digests) {
    const std::string name = digest.facts.name;
    for (int n = 2; !used.insert(digest.facts.name).second; ++n) {
      digest.facts.name = name + " (" + std::to_string(n) + ")";
    }
  }
}

DigestBuilder::DigestBuilder(std::string name, const RuleSet& rules, const KnowledgeBase& kb, ParserOptions options,
                             SharedAnswers* answers)
    : name_(std::move(name)),
      rules_(rules),
      kb_(kb),
      options_(options),
      answers_(answers),
      cutter_(options.segment_bytes),
      first_(std::make_unique<SegmentDigest>(name_, rules, kb, options, answers)),
      now_(first_.get()) {}

DigestBuilder::~DigestBuilder() = default;

void DigestBuilder::Push(std::string_view chunk) {
  Remember(chunk);
  while (!chunk.empty()) {
    if (ended_) BeginSegment();
    const SegmentCutter::Cut cut = cutter_.Take(chunk);
    now_->Push(chunk.substr(0, cut.size));
    chunk.remove_prefix(cut.size);
    ended_ = cut.ends && first_->CanBeCut();
  }
}

void DigestBuilder::BeginSegment() {
  if (learned_ == nullptr) learned_ = first_->NewSegment(0);
  if (later_ != nullptr) first_->Join(*later_);
  later_ = learned_->NewSegment(cutter_.offset());
  now_ = later_.get();
}

void DigestBuilder::Remember(std::string_view chunk) {
  if (long_) return;
  if (pasted_.size() + chunk.size() <= limits::kPastedBytes) {
    pasted_ += chunk;
  } else {
    long_ = true;
    pasted_ = {};
  }
}

SourceDigest DigestBuilder::Digest(std::string_view text) const {
  SegmentDigest whole(name_, rules_, kb_, options_, answers_);
  whole.Push(text);
  return whole.Finish();
}

SourceDigest DigestBuilder::Finish() {
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

}  // namespace ncclwhy
