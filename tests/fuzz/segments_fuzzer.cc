// A source in segments: lines are neither lost nor counted twice, numbers stay within the source, and chunks do not
// matter. The first byte says how long a segment is.
#include <algorithm>
#include <string>

#include "digest_text.h"
#include "fuzz/check.h"
#include "read/digest.h"

namespace ncclwhy::fuzz {
namespace {

SourceDigest Digest(std::string_view text, uint64_t segment_bytes, size_t chunk) {
  ParserOptions options;
  options.segment_bytes = segment_bytes;
  DigestBuilder builder("job.log", RuleSet::Embedded(), KnowledgeBase::Embedded(), options);
  for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) builder.Push(text.substr(0, chunk));
  return builder.Finish();
}

void CheckNumbers(const SourceDigest& digest) {
  const SourceFacts& f = digest.facts;
  const uint64_t lines = f.counters.Get(Counter::kLines);
  const auto is_process = [&](uint32_t process) { return process == kNoProcess || process < f.processes.size(); };
  FUZZ_CHECK(f.counters.Get(Counter::kNccl) + f.counters.Get(Counter::kForeign) + f.counters.Get(Counter::kDamaged) ==
             lines);
  for (const ProcessFacts& p : f.processes) FUZZ_CHECK(p.first.line <= p.last.line && p.last.line <= lines);
  uint32_t before = 0;
  for (const Event& e : f.events) {
    FUZZ_CHECK(e.line >= before && e.line <= lines && e.offset < f.bytes && is_process(e.process));
    before = e.line;
  }
  for (const CollectiveStream& s : f.collectives) {
    FUZZ_CHECK(is_process(s.process) && s.first.line <= s.last.line && s.last.line <= lines);
    FUZZ_CHECK(s.window.size() == std::min<uint64_t>(s.calls, limits::kCollectiveWindow));
    FUZZ_CHECK(s.p2p_window.size() == std::min<uint64_t>(s.p2p_calls, limits::kCollectiveWindow));
  }
  before = 0;
  for (const Hit& hit : digest.hits.hits) {
    FUZZ_CHECK(hit.line >= before && hit.line <= lines && is_process(hit.process));
    before = hit.line;
  }
}

void Check(std::string_view text, uint64_t segment_bytes) {
  const SourceDigest whole = Digest(text, UINT64_MAX / 2, 4096);
  const SourceDigest cut = Digest(text, segment_bytes, 4096);
  FUZZ_CHECK(cut.facts.bytes == whole.facts.bytes);
  if (cut.facts.counters.Get(Counter::kRejoinedLines) == whole.facts.counters.Get(Counter::kRejoinedLines)) {
    FUZZ_CHECK(cut.facts.counters.Get(Counter::kLines) == whole.facts.counters.Get(Counter::kLines));
  }
  CheckNumbers(cut);
  FUZZ_CHECK(DigestText(cut) == DigestText(Digest(text, segment_bytes, 1 + text.size() / 7)));
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = ncclwhy::fuzz::View(data, size);
  if (input.empty()) return 0;
  const auto first = static_cast<unsigned char>(input[0]);
  ncclwhy::fuzz::Check(input, uint64_t{64} + first * (first % 3 == 0 ? 40u : 4u));
  return 0;
}
