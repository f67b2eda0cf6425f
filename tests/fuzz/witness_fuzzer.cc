// Sources that are no log of lines: whatever they hold, the digest does not depend on where chunks end, nothing refers
// to what is not there, and values are bounded by the bytes.
#include <algorithm>
#include <string>

#include "base/limits.h"
#include "digest_text.h"
#include "fuzz/check.h"
#include "read/digest.h"
#include "read/source_coding.h"

namespace ncclwhy::fuzz {
namespace {

SourceDigest DigestOf(std::string_view bytes, Dice* dice) {
  DigestBuilder builder("input", RuleSet::Embedded(), KnowledgeBase::Embedded());
  while (!bytes.empty()) {
    const size_t size = dice == nullptr ? bytes.size() : std::min(bytes.size(), dice->Below(5000) + 1);
    builder.Push(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return builder.Finish();
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  const std::string_view bytes = fuzz::View(data, size);
  fuzz::Dice dice(bytes);
  const SourceDigest whole = fuzz::DigestOf(bytes, nullptr);
  FUZZ_CHECK(DigestText(fuzz::DigestOf(bytes, &dice)) == DigestText(whole));
  SourceDigest read;
  FUZZ_CHECK(DecodeSource(EncodeSource(whole), &read) && DigestText(read) == DigestText(whole));
  const SourceFacts& facts = whole.facts;
  FUZZ_CHECK(facts.counters.Get(Counter::kRecords) <= size);
  FUZZ_CHECK(facts.processes.size() <= size + 1);
  for (const Event& event : facts.events) {
    FUZZ_CHECK(event.process == kNoProcess || event.process < facts.processes.size());
    FUZZ_CHECK(event.field_begin + event.field_count <= facts.fields.size());
  }
  for (const CollectiveStream& stream : facts.collectives) {
    FUZZ_CHECK(stream.process < facts.processes.size());
    FUZZ_CHECK(stream.window.size() <= limits::kCollectiveWindow);
    FUZZ_CHECK(stream.p2p_window.size() <= limits::kCollectiveWindow);
  }
  return 0;
}
