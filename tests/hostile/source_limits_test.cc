// Limits of what one source may bring, at the border and one beyond, below the job: a source at its limits is large,
// and only its facts are of interest here. What needs a million lines runs with NCCLWHY_HOSTILE=full.
#include <string>

#include "base/limits.h"
#include "base/time_budget.h"
#include "catch.h"
#include "hostile/own_rules.h"
#include "hostile/run_limited.h"
#include "job/job_model.h"
#include "parser/parser.h"
#include "read/digest.h"

namespace ncclwhy::hostile {
namespace {

std::string N(uint64_t n) { return std::to_string(n); }
std::string Header(uint64_t pid) { return "node1:" + N(pid + 1) + ":1 [0] "; }

// Lines are made while they are read: a log at a limit need not stand in memory.
class Log {
 public:
  explicit Log(const std::string& name = "job.log") : parser_(name, nullptr, nullptr) {}
  void Line(const std::string& line) {
    text_ += line;
    text_ += '\n';
    if (text_.size() > (1u << 20)) Flush();
  }
  SourceFacts Done() {
    Flush();
    return parser_.Finish();
  }

 private:
  void Flush() {
    parser_.Push(text_);
    text_.clear();
  }
  Parser parser_;
  std::string text_;
};

uint64_t Count(const SourceFacts& facts, Counter counter) { return facts.counters.Get(counter); }

// A warning that a terminal of 80 columns broke, in a source of `bytes`.
SourceDigest Pasted(size_t bytes) {
  const OwnRules own(1,
                     R"("match": [{"literal": "Got completion", "regex": "completion from +peer .* with error 12"}])");
  std::string text =
      "node1:71:90 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from \npeer 10.0.0.7<51264> with "
      "error 12, opcode 0, len 0, vendor err 129\n";
  text.append(bytes - text.size(), '\n');
  DigestBuilder builder("paste", own.rules(), KnowledgeBase::Embedded());
  builder.Push(text);
  return builder.Finish();
}

TEST_CASE("size of a source that may have been pasted", "[hostile]") {
  CHECK(Count(Pasted(limits::kPastedBytes).facts, Counter::kRejoinedLines) == 1);
  CHECK(Count(Pasted(limits::kPastedBytes + 1).facts, Counter::kRejoinedLines) == 0);
  CHECK(Pasted(limits::kPastedBytes).facts.bytes == limits::kPastedBytes);
}

TEST_CASE("clipped lines for which every rule is asked", "[hostile]") {
  const OwnRules own(1, R"("match": [{"literal": "the quick brown fox jumps over the lazy dog"}])");
  for (const uint32_t before : {limits::kClippedLooks - 1, limits::kClippedLooks}) {
    std::string text;
    for (uint32_t i = 0; i < before; ++i) text += "step " + std::to_string(i) + " of a program…\n";
    DigestBuilder builder("clipped", own.rules(), KnowledgeBase::Embedded());
    builder.Push(text + "the quick brown fox jum…\n");
    CHECK(builder.Finish().hits.hits.size() == (before < limits::kClippedLooks ? 1 : 0));
  }
}

TEST_CASE("events of one kind in a source", "[hostile]") {
  constexpr size_t kEach = limits::kEventsPerKindAndProcess;
  constexpr size_t kBorder = limits::kEventsPerKindAndSource;
  for (const size_t more : {size_t{0}, size_t{1}}) {
    Log log;
    for (size_t i = 0; i < kBorder + more; ++i) log.Line(Header(i / kEach) + "x.cc:1 NCCL WARN odd " + N(i % kEach));
    const SourceFacts facts = log.Done();
    CHECK(facts.events.size() == kBorder);
    CHECK(Count(facts, Counter::kDroppedEvents) == more);
  }
}

std::string Init(size_t comm) {
  return "NCCL INFO ncclCommInitRank comm 0x" + N(comm) + " rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 1000 commId 0x" +
         N(comm) + " - Init START";
}

TEST_CASE("life of communicators in a source", "[hostile]") {
  for (const size_t more : {size_t{0}, size_t{1}}) {
    Log log;
    for (size_t i = 0; i < limits::kCommunicatorEventsPerSource + more; ++i) log.Line(Header(i / 4000) + Init(i));
    const SourceFacts facts = log.Done();
    CHECK(facts.events.size() == limits::kCommunicatorEventsPerSource);
    CHECK(Count(facts, Counter::kDroppedEvents) == more);
  }
}

TEST_CASE("streams of collectives in a source", "[hostile]") {
  for (const size_t more : {size_t{0}, size_t{1}}) {
    Log log;
    for (size_t i = 0; i < limits::kCollectiveStreamsPerSource + more; ++i) {
      log.Line(Header(i / 4000) + "NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 5 datatype 7 op 0 " +
               "root 0 comm 0x" + N(i + 1) + " [nranks=4] stream 0x1");
    }
    const SourceFacts facts = log.Done();
    CHECK(facts.collectives.size() == limits::kCollectiveStreamsPerSource);
    CHECK(Count(facts, Counter::kDroppedCommunicators) == more);
  }
}

TEST_CASE("distinct text of a source", "[hostile]") {
  const auto read = [](size_t bytes) {
    Log log;
    const std::string filler(480, 'x');
    const size_t lines = bytes / limits::kEvidenceText;
    for (size_t i = 0; i < lines; ++i) log.Line(Header(i / 60) + "x.cc:1 NCCL WARN " + filler + N(1'000'000 + i));
    return log.Done();
  };
  CHECK(Count(read(limits::kPoolBytesPerSource / 2), Counter::kDroppedText) == 0);
  const SourceFacts beyond = read(limits::kPoolBytesPerSource * 5 / 4);
  CHECK(Count(beyond, Counter::kDroppedText) > 0);
  CHECK(beyond.strings.bytes() <= limits::kPoolBytesPerSource);
}

// What tells the headers apart stands far from where most of them differ.
TEST_CASE("hosts of containers, all with the same pid, take no longer than others", "[hostile]") {
  const auto seconds = [](bool same_pid) {
    const int64_t begin = ThreadMilliseconds();
    Log log;
    for (size_t i = 0; i < 150'000; ++i) {
      const std::string pid = same_pid ? "1:1" : N(i % 4'000'000 + 1) + ":" + N(i + 1);
      log.Line("host-" + N(i) + ":" + pid + " [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>");
    }
    (void)log.Done();
    return ThreadMilliseconds() - begin;
  };
  const int64_t others = seconds(false);
  CHECK(seconds(true) < 4 * others + 200);
}

TEST_CASE("names that tell streams apart", "[hostile]") {
  const auto pods = [](size_t bytes) {
    Log log;
    for (const char* last : {"a", "b"}) {
      log.Line("{\"log\":\"RuntimeError: hello\\n\",\"stream\":\"stdout\",\"kubernetes\":{\"pod_name\":\"" +
               std::string(bytes - 1, 'p') + last + "\"}}");
    }
    return log.Done().processes.size();
  };
  CHECK(pods(limits::kStreamName) == 2);
  CHECK(pods(limits::kStreamName + 1) == 1);
}

TEST_CASE("prefixes in front of a header", "[hostile]") {
  const auto header = [](size_t layers) {
    std::string line;
    for (size_t i = 0; i < layers; ++i) line += "2025-03-01T12:00:00.000000000Z stdout F ";
    Log log;
    log.Line(line + "node1:100:101 [0] NCCL INFO NCCL version 2.28.9+cuda12.9");
    const SourceFacts facts = log.Done();
    return Count(facts, Counter::kNccl) == 1 && Count(facts, Counter::kDamaged) == 0;
  };
  CHECK(header(limits::kPrefixLayers));
  // Further layers are junk in front of a header, which is still found.
  Log log;
  std::string line;
  for (int i = 0; i < 50; ++i) line += "2025-03-01T12:00:00.000000000Z stdout F ";
  log.Line(line + "node1:100:101 [0] NCCL INFO NCCL version 2.28.9+cuda12.9");
  const SourceFacts facts = log.Done();
  CHECK(Count(facts, Counter::kNccl) + Count(facts, Counter::kForeign) + Count(facts, Counter::kDamaged) == 1);
}

TEST_CASE("events of all kinds in a source", "[hostile]") {
  if (!Full()) return;
  Log log;
  // Four kinds fill the source, each to the limit of a kind; a fifth finds no room.
  constexpr size_t kProcesses = limits::kEventsPerKindAndSource / limits::kEventsPerKindAndProcess;
  const char* kinds[] = {"x.cc:1 NCCL WARN odd ", "misc/socket.cc:1 NCCL WARN Connect to 10.0.0.1<1> failed : odd ",
                         "NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0> ",
                         "NCCL INFO Bootstrap : Using eth0:10.0.0.1<0> "};
  for (const char* kind : kinds) {
    for (size_t p = 0; p < kProcesses; ++p) {
      for (size_t i = 0; i < limits::kEventsPerKindAndProcess; ++i) log.Line(Header(p) + kind + N(i));
    }
  }
  for (size_t i = 0; i < 300'000; ++i) log.Line(Header(i % kProcesses) + "NCCL INFO transport/shm.cc:1 -> 2");
  const SourceFacts facts = log.Done();
  CHECK(facts.events.size() <= limits::kEventsPerSource);
  CHECK(facts.events.size() + Count(facts, Counter::kDroppedEvents) <= Count(facts, Counter::kNccl));
}

TEST_CASE("communicators that a job is made of", "[hostile]") {
  if (!Full()) return;
  std::vector<SourceFacts> sources;
  for (size_t s = 0; s * limits::kCommunicatorEventsPerSource <= limits::kCommunicatorViews; ++s) {
    Log log("job" + N(s));
    const size_t first = s * limits::kCommunicatorEventsPerSource;
    const size_t n = first < limits::kCommunicatorViews ? limits::kCommunicatorEventsPerSource : 1;
    for (size_t i = 0; i < n; ++i) log.Line(Header((first + i) / 4000) + Init(first + i));
    sources.push_back(log.Done());
  }
  std::vector<const SourceFacts*> facts;
  for (const SourceFacts& source : sources) facts.push_back(&source);
  const JobModel beyond = BuildJobModel(facts);
  CHECK(beyond.dropped.Get(Counter::kDroppedCommunicators) == 1);
  facts.pop_back();
  const JobModel border = BuildJobModel(facts);
  CHECK(border.dropped.Get(Counter::kDroppedCommunicators) == 0);
}

// What rules of the test's own find in so many lines that they match, of each of so many processes.
SourceDigest Match(const OwnRules& rules, size_t processes, size_t lines) {
  DigestBuilder builder("job.log", rules.rules(), KnowledgeBase::Embedded());
  for (size_t p = 0; p < processes; ++p) {
    std::string text;
    for (size_t i = 0; i < lines; ++i) text += Header(p) + "x.cc:1 NCCL WARN something odd\n";
    builder.Push(text);
  }
  return builder.Finish();
}

constexpr const char* kOdd = R"("match": [{"literal": "something odd"}])";

TEST_CASE("hits of a pattern in a process and in a source", "[hostile]") {
  const OwnRules rules(1, kOdd);
  CHECK(Count(Match(rules, 1, limits::kHitsPerPatternAndProcess).facts, Counter::kDroppedHits) == 0);
  // One more place is kept: that of the latest.
  CHECK(Count(Match(rules, 1, limits::kHitsPerPatternAndProcess + 1).facts, Counter::kDroppedHits) == 0);
  CHECK(Count(Match(rules, 1, limits::kHitsPerPatternAndProcess + 2).facts, Counter::kDroppedHits) == 1);
  const SourceDigest border = Match(rules, limits::kHitsPerPatternAndSource, 1);
  CHECK(border.hits.hits.size() == limits::kHitsPerPatternAndSource);
  CHECK(Count(border.facts, Counter::kDroppedHits) == 0);
  const SourceDigest beyond = Match(rules, limits::kHitsPerPatternAndSource + 1, 1);
  CHECK(beyond.hits.hits.size() == limits::kHitsPerPatternAndSource);
  CHECK(Count(beyond.facts, Counter::kDroppedHits) == 1);
}

TEST_CASE("hits of all patterns in a source", "[hostile]") {
  constexpr size_t kRules = 10;
  constexpr size_t kLines = limits::kHitsPerSource / kRules + 200;
  const OwnRules rules(kRules, kOdd);
  const SourceDigest digest = Match(rules, kLines, 1);
  CHECK(digest.hits.hits.size() >= limits::kHitsPerSource);
  CHECK(digest.hits.hits.size() <= limits::kHitsPerSource + kRules * limits::kHitsPerPatternBeyond);
  CHECK(Count(digest.facts, Counter::kDroppedHits) == kRules * kLines - digest.hits.hits.size());
}

}  // namespace
}  // namespace ncclwhy::hostile
