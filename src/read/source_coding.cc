#include "read/source_coding.h"

#include <algorithm>

#include "base/limits.h"
#include "read/digest_coding.h"

namespace ncclwhy {
namespace {

// Each of the latest calls has a place in the ring, which is asked for by its number.
bool IsRing(const std::vector<CollectiveCall>& window, uint64_t calls) {
  if (window.size() == limits::kCollectiveWindow || window.empty()) return true;
  return window.size() < limits::kCollectiveWindow && calls <= window.size();
}

bool IsTrail(const LineTrail& trail) { return trail.every > 0 && trail.lines.size() <= limits::kTrailLines; }

// A member that is not in digest_fields.h would be lost. Sizes of the common machines; elsewhere these are not asked.
// A size that changed says: look whether the new member has to be written, then put the new size here.
template <typename T, size_t kSize>
constexpr bool kAllWritten = sizeof(void*) != 8 || sizeof(T) == kSize;
static_assert(kAllWritten<LineRef, 24> && kAllWritten<ProcessFacts, 104> && kAllWritten<Event, 56>);
static_assert(kAllWritten<ConnectionFacts, 56> && kAllWritten<CollectiveCall, 32> &&
              kAllWritten<CollectiveStream, 184>);
static_assert(kAllWritten<LineTrail, 48> && kAllWritten<PulseFacts, 144> && kAllWritten<NewsFacts, 64> &&
              kAllWritten<WaitFacts, 32> && kAllWritten<ComplaintFacts, 12> && kAllWritten<SideRow, 8>);
static_assert(kAllWritten<Hit, 72> && kAllWritten<CatalogHit, 32> && kAllWritten<EnvMention, 32>);
static_assert(kAllWritten<MessageCount, 24>);

// What the readers of facts rely on without asking.
bool CanBe(const SourceFacts& facts) {
  const auto stream = [](const CollectiveStream& s) {
    return s.interval > 0 && s.checkpoints.size() <= limits::kCollectiveCheckpoints && IsRing(s.window, s.calls) &&
           IsRing(s.p2p_window, s.p2p_calls);
  };
  return std::all_of(facts.collectives.begin(), facts.collectives.end(), stream) &&
         std::all_of(facts.pulses.begin(), facts.pulses.end(), [](const PulseFacts& p) { return IsTrail(p.beats); }) &&
         std::all_of(facts.news.begin(), facts.news.end(), [](const NewsFacts& n) { return IsTrail(n.lines); });
}

}  // namespace

std::string EncodeSource(const SourceDigest& digest) {
  DigestEncoder writer;
  Fields(writer, digest);
  return writer.Take();
}

bool DecodeSource(std::string_view bytes, SourceDigest* digest) {
  DigestDecoder reader(bytes);
  Fields(reader, *digest);
  return reader.AtEnd() && CanBe(digest->facts);
}

}  // namespace ncclwhy
