#include "read/digest_slice.h"

#include <algorithm>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "kb/loader/kb.h"
#include "read/digest.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

SourceDigest SliceDigestOf(const std::string& text) {
  DigestBuilder builder("job.log", RuleSet::Embedded(), KnowledgeBase::Embedded());
  builder.Push(text);
  return builder.Finish();
}

std::string Steps(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "step " + std::to_string(i) + "/20 done\n";
  return text;
}

// Three lines.
std::string Rank(int pid) {
  const std::string header = "node1:" + std::to_string(pid) + ":" + std::to_string(pid) + " [0] ";
  return header + "NCCL INFO NCCL version 2.28.9+cuda12.9\n" + header +
         "NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x12 - Init "
         "START\n" +
         header +
         "misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-abc to 9637892 bytes, error: No space "
         "left on device (28)\n";
}

TEST_CASE("a slice has what its lines say, under their own numbers", "[slice]") {
  const SourceDigest whole = SliceDigestOf(Rank(100) + "exit 1\n" + Rank(200));
  const SourceDigest first = SliceOf(whole, 1, 4);
  const SourceDigest second = SliceOf(whole, 5, UINT32_MAX);
  REQUIRE(whole.hits.hits.size() == 2 * first.hits.hits.size());
  REQUIRE(first.hits.hits.size() == second.hits.hits.size());
  for (const Hit& hit : first.hits.hits) CHECK(hit.line <= 4);
  for (const Hit& hit : second.hits.hits) CHECK(hit.line >= 5);
  const auto pids = [](const SourceDigest& digest) {
    std::string out;
    for (const ProcessFacts& p : digest.facts.processes) {
      if (p.pid >= 0 && digest.facts.Str(p.host) == "node1") out += std::to_string(p.pid) + " ";
    }
    return out;
  };
  CHECK(pids(first).find("200") == std::string::npos);
  CHECK(pids(second).find("100") == std::string::npos);
  CHECK(pids(second).find("200") != std::string::npos);
  for (const Event& e : second.facts.events) {
    if (e.process != kNoProcess) CHECK(e.process < second.facts.processes.size());
  }
  CHECK(first.facts.counters.Get(Counter::kLines) == 4);
  CHECK(second.facts.counters.Get(Counter::kLines) == 3);
  const Counters& c = second.facts.counters;
  CHECK(c.Get(Counter::kNccl) + c.Get(Counter::kForeign) + c.Get(Counter::kDamaged) == 3);
  CHECK(c.Get(Counter::kRecognised) + c.Get(Counter::kUnrecognised) == c.Get(Counter::kNccl));
}

TEST_CASE("the slice of everything is everything", "[slice]") {
  const SourceDigest whole = SliceDigestOf(Rank(100) + Steps(1, 9));
  const SourceDigest same = SliceOf(whole, 1, UINT32_MAX);
  CHECK(same.facts.events.size() == whole.facts.events.size());
  CHECK(same.facts.processes.size() == whole.facts.processes.size());
  CHECK(same.hits.hits.size() == whole.hits.hits.size());
  CHECK(same.messages.size() == whole.messages.size());
  for (size_t i = 0; i < static_cast<size_t>(Counter::kCount_); ++i) {
    CHECK(same.facts.counters.Get(static_cast<Counter>(i)) == whole.facts.counters.Get(static_cast<Counter>(i)));
  }
}

TEST_CASE("of a pulse that began anew each run knows how far it came", "[slice]") {
  const SourceDigest whole = SliceDigestOf(Steps(1, 14) + "exit 1\n" + Steps(1, 9));
  REQUIRE(whole.facts.pulses.size() == 1);
  const SourceDigest first = SliceOf(whole, 1, 15);
  const SourceDigest second = SliceOf(whole, 16, UINT32_MAX);
  REQUIRE(first.facts.pulses.size() == 1);
  REQUIRE(second.facts.pulses.size() == 1);
  CHECK(first.facts.pulses[0].last_value == 14);
  CHECK(second.facts.pulses[0].last_value == 9);
  CHECK(first.facts.pulses[0].beats.last <= 14);
  CHECK(second.facts.pulses[0].beats.first >= 16);
}

TEST_CASE("lines behind a label are another process's in another run", "[slice]") {
  const std::string own = "0: rank 0 starts\nsrun: error: node9: task 0: Exited with exit code 1\n";
  const SourceDigest whole = SliceDigestOf(own + "0: " + Rank(100));
  const auto named = [](const SourceDigest& digest) {
    return std::any_of(digest.facts.processes.begin(), digest.facts.processes.end(),
                       [](const ProcessFacts& p) { return p.pid == 100; });
  };
  REQUIRE(named(whole));
  CHECK_FALSE(named(SliceOf(whole, 1, 2)));
  CHECK(named(SliceOf(whole, 3, UINT32_MAX)));
}

TEST_CASE("places at which a pulse began anew are bounded and spread", "[slice]") {
  std::string text;
  for (size_t i = 0; i < 8 * limits::kPulsePeaks; ++i) text += Steps(1, 5);
  const SourceDigest whole = SliceDigestOf(text);
  REQUIRE(whole.facts.pulses.size() == 1);
  const std::vector<PulsePeak>& peaks = whole.facts.pulses[0].peaks;
  CHECK(peaks.size() <= limits::kPulsePeaks);
  REQUIRE(peaks.size() >= limits::kPulsePeaks / 2);
  CHECK(peaks.front().line < 8 * limits::kPulsePeaks);
}

}  // namespace
}  // namespace ncclwhy
