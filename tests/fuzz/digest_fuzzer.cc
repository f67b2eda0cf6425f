// A source in a file of digests, as anybody may have written it: its bytes without frame and check sum. What is taken
// says the same when it is written again, refers to nothing that is not there, and is analysed to a report. The bytes
// as a file of digests, in pieces, are one, or a named problem.
#include <algorithm>
#include <string>
#include <vector>

#include "analyze/analyzer.h"
#include "digest_text.h"
#include "fuzz/check.h"
#include "read/digest.h"
#include "read/digest_slice.h"
#include "read/node_digest.h"
#include "read/source_coding.h"
#include "store/store.h"

namespace ncclwhy::fuzz {
namespace {

const RuleSet& Rules() { return RuleSet::Embedded(); }
const KnowledgeBase& Kb() { return KnowledgeBase::Embedded(); }

std::vector<SourceDigest> Unpacked(std::string_view bytes, std::vector<std::string>* problems, Dice& dice) {
  DigestBuilder builder("node.digest", Rules(), Kb());
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), dice.Below(5000) + 1);
    builder.Push(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return builder.FinishAll(problems);
}

void CheckAnalysis(std::vector<SourceDigest> digests) {
  OrderByName(&digests);
  Result<std::unique_ptr<Timeline>> timeline = OpenTimeline("");
  FUZZ_CHECK(timeline.ok());
  const Report report = Analyze(ModelOf(digests), digests, Rules(), Kb(), *timeline.value(), {}, {});
  FUZZ_CHECK(report.causes.empty() || !report.causes.front().id.empty());
  const uint64_t lines = digests.front().facts.counters.Get(Counter::kLines);
  (void)SliceOf(digests.front(), 1, static_cast<uint32_t>(std::min<uint64_t>(lines, UINT32_MAX) / 2));
}

void CheckSource(std::string_view bytes, Dice& dice) {
  SourceDigest source;
  if (!DecodeSource(bytes, &source)) return;
  FUZZ_CHECK(EncodeSource(source) == bytes);
  std::vector<SourceDigest> sources;
  sources.push_back(std::move(source));
  Result<std::string> file = UnpackedNodeDigest(sources, {"a problem"}, Rules(), Kb(), false);
  FUZZ_CHECK(file.ok());
  std::vector<std::string> problems;
  std::vector<SourceDigest> read = Unpacked(file.value(), &problems, dice);
  FUZZ_CHECK(problems.size() == 1);
  // Numbers of patterns and messages that this knowledge does not have.
  if (read.empty()) return;
  FUZZ_CHECK(problems.front() == "a problem" && DigestText(read.front()) == DigestText(sources.front()));
  CheckAnalysis(std::move(read));
}

void CheckFile(std::string_view bytes, Dice& dice) {
  if (!LooksLikeNodeDigest(bytes)) return;
  std::vector<std::string> problems;
  const std::vector<SourceDigest> read = Unpacked(bytes, &problems, dice);
  FUZZ_CHECK(read.size() <= bytes.size());
  FUZZ_CHECK(read.empty() || problems.size() <= bytes.size());
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = ncclwhy::fuzz::View(data, size);
  ncclwhy::fuzz::Dice dice(bytes);
  ncclwhy::fuzz::CheckFile(bytes, dice);
  ncclwhy::fuzz::CheckSource(bytes, dice);
  return 0;
}
