// The limits of base/limits.h, at the border and one beyond: what is inside is complete, what is outside is counted.
#include "base/limits.h"

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/re2_call.h"
#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy::hostile {
namespace {

std::string N(uint64_t n) { return std::to_string(n); }

Report Analysed(const std::string& log) {
  auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(log).ok());
  REQUIRE(analyzer->EndSource().ok());
  Result<Report> report = analyzer->Finish();
  REQUIRE(report.ok());
  return report.take();
}

uint64_t Note(const Report& report, const char* name) {
  const auto it = report.coverage.notes.find(name);
  return it == report.coverage.notes.end() ? 0 : it->second;
}

std::string Repeat(size_t n, const std::function<std::string(size_t)>& line) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += line(i);
  return out;
}

constexpr const char* kHeader = "node1:100:101 [0] ";

std::string Init(size_t comm, size_t rank, size_t nranks, const std::string& id) {
  return "NCCL INFO ncclCommInitRank comm 0x" + N(comm) + " rank " + N(rank) + " nranks " + N(nranks) +
         " cudaDev 0 nvmlDev 0 busId 1000 commId " + id + " - Init START\n";
}

TEST_CASE("line length", "[hostile]") {
  const auto line = [](size_t bytes) { return std::string(bytes, 'x') + "\n"; };
  const Report whole = Analysed(line(limits::kLineBytes));
  CHECK(Note(whole, "clipped_lines") == 0);
  CHECK(whole.coverage.foreign == 1);
  const Report clipped = Analysed(line(limits::kLineBytes + 1));
  CHECK(Note(clipped, "clipped_lines") == 1);
  CHECK(clipped.coverage.damaged == 1);
}

TEST_CASE("records in one line", "[hostile]") {
  const auto line = [](size_t n) {
    return Repeat(
               n,
               [](size_t) { return std::string(kHeader) + "NCCL INFO comm 0x1 rank 0 nranks 2 - Destroy COMPLETE"; }) +
           "\n" + Repeat(limits::kPastedBytes / 32, [](size_t) {
             return kHeader + std::string("NCCL INFO Ring 00 : 3 -> 0 -> 1\n");
           });
  };  // more than a paste, of which glued lines are cut
  CHECK(Note(Analysed(line(limits::kRecordsPerLine)), "glued_records") == limits::kRecordsPerLine - 1);
  const Report beyond = Analysed(line(limits::kRecordsPerLine + 1));
  CHECK(Note(beyond, "glued_records") == limits::kRecordsPerLine - 1);
  CHECK(beyond.coverage.damaged == 1);
}

TEST_CASE("processes of one source", "[hostile]") {
  const auto hosts = [](size_t n) {
    return Repeat(n, [](size_t i) { return "h" + N(i) + ":100:101 [0] NCCL INFO Channel 00/02 : 0 1\n"; });
  };
  CHECK(Note(Analysed(hosts(limits::kProcessesPerSource)), "dropped_processes") == 0);
  const Report beyond = Analysed(hosts(limits::kProcessesPerSource + 1));
  CHECK(Note(beyond, "dropped_processes") >= 1);
  CHECK(beyond.job.processes == static_cast<int64_t>(limits::kProcessesPerSource));
  CHECK(beyond.coverage.nccl == limits::kProcessesPerSource + 1);
}

TEST_CASE("workers of one source", "[hostile]") {
  const auto workers = [](size_t n) {
    return Repeat(n, [](size_t i) { return "(W" + N(i) + " pid=" + N(i) + ", ip=10.1.1.31) hello\n"; });
  };
  CHECK(Note(Analysed(workers(limits::kProcessesPerSource)), "dropped_processes") == 0);
  CHECK(Note(Analysed(workers(limits::kProcessesPerSource + 1)), "dropped_processes") == 1);
}

TEST_CASE("communicators of one process", "[hostile]") {
  const auto comms = [](size_t n) { return Repeat(n, [](size_t i) { return kHeader + Init(i, 0, 1, "0x" + N(i)); }); };
  const Report border = Analysed(comms(limits::kCommunicatorsPerProcess));
  CHECK(Note(border, "dropped_events") == 0);
  CHECK(border.job.communicators.size() == limits::kCommunicatorsPerProcess);
  const Report beyond = Analysed(comms(limits::kCommunicatorsPerProcess + 1));
  CHECK(Note(beyond, "dropped_events") == 1);
  CHECK(beyond.job.communicators.size() == limits::kCommunicatorsPerProcess);
}

TEST_CASE("facts about where a job ran", "[hostile]") {
  const auto variables = [](size_t n) {
    return Repeat(n, [](size_t i) { return kHeader + ("NCCL INFO NCCL_V" + N(i) + " set by environment to 1.\n"); });
  };
  CHECK(Analysed(variables(limits::kEnvironmentFacts / 2)).job.environment.size() >= limits::kEnvironmentFacts / 2);
  CHECK(Analysed(variables(limits::kEnvironmentFacts + 1)).job.environment.size() == limits::kEnvironmentFacts);
}

TEST_CASE("communicators of a report", "[hostile]") {
  const auto comms = [](size_t n) {
    return Repeat(n, [](size_t i) { return "node1:" + N(i % 8 + 1) + ":1 [0] " + Init(i, 0, 1, "0x" + N(i)); });
  };
  CHECK(Note(Analysed(comms(limits::kReportCommunicators)), "unlisted") == 0);
  const Report beyond = Analysed(comms(limits::kReportCommunicators + 1));
  CHECK(Note(beyond, "unlisted") == 1);
  CHECK(beyond.job.unlisted_communicators == 1);
}

TEST_CASE("ranks without a log", "[hostile]") {
  const Report border = Analysed(kHeader + Init(1, 0, limits::kReportRanks, "0x1"));
  REQUIRE(border.job.communicators.size() == 1);
  CHECK(border.job.communicators[0].ranks.size() == limits::kReportRanks);
  CHECK(Note(border, "unlisted") == 0);
  CHECK(Note(Analysed(kHeader + Init(1, 0, limits::kReportRanks + 1, "0x1")), "unlisted") == 1);
  const Report many = Analysed(kHeader + Init(1, 0, limits::kMissingRanks + 1, "0x1"));
  CHECK(Note(many, "unlisted") == limits::kMissingRanks + 1 - limits::kReportRanks);
  const Report too_many = Analysed(kHeader + Init(1, 0, limits::kMissingRanks + 2, "0x1"));
  CHECK(too_many.job.communicators.at(0).ranks.size() == 1);
  CHECK(Note(too_many, "unlisted") == limits::kMissingRanks + 1);
  // Nobody has so many ranks: only the one that has a log is listed.
  const Report huge = Analysed(kHeader + Init(1, 0, 2'000'000'000, "0x1"));
  REQUIRE(huge.job.communicators.size() == 1);
  CHECK(huge.job.communicators[0].ranks.size() == 1);
  CHECK(huge.job.communicators[0].nranks == 2'000'000'000);
}

TEST_CASE("the smaller communicators keep their missing ranks when one lies about its size", "[hostile]") {
  const Report report = Analysed(kHeader + Init(1, 0, 2'000'000'000, "0x1") + kHeader + Init(2, 0, 4, "0x2"));
  REQUIRE(report.job.communicators.size() == 2);
  CHECK(report.job.communicators[1].ranks.size() == 4);
}

TEST_CASE("events of one kind and process", "[hostile]") {
  const auto warns = [](size_t n) {
    return Repeat(
        n, [](size_t i) { return std::string(kHeader) + "x.cc:1 NCCL WARN nobody knows this text " + N(i) + "\n"; });
  };
  CHECK(Note(Analysed(warns(limits::kEventsPerKindAndProcess)), "dropped_events") == 0);
  CHECK(Note(Analysed(warns(limits::kEventsPerKindAndProcess + 1)), "dropped_events") == 1);
}

TEST_CASE("text of evidence", "[hostile]") {
  const auto log = [](size_t n) {
    const std::string head = "Error: failed to extend /dev/shm/nccl-";
    const std::string tail = " to 9637892 bytes, error: No space left on device (28)";
    const std::string line = head + std::string(n - head.size() - tail.size(), 'a') + tail;
    REQUIRE(line.size() == n);
    return std::string(kHeader) + "misc/shmutils.cc:87 NCCL WARN " + line + "\n";
  };
  for (const size_t n : {limits::kEvidenceText, limits::kEvidenceText + 1}) {
    const Report report = Analysed(log(n));
    REQUIRE(!report.causes.empty());
    REQUIRE(!report.causes[0].evidence.empty());
    CHECK(report.causes[0].evidence[0].text.size() <= limits::kEvidenceText + 4);
  }
}

TEST_CASE("evidence, consequences and warnings of a report", "[hostile]") {
  std::string log;
  for (size_t i = 0; i < 300; ++i) {
    const std::string header = "node" + N(i) + ":100:101 [0] ";
    log += header + "misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-" + N(i) +
           " to 9637892 bytes, error: No space left on device (28)\n" + header + "NCCL INFO NCCL_NO_SUCH_" + N(i) +
           " set by environment to 1.\n" + header + "NCCL INFO transport/shm.cc:" + N(i) + " -> 2\n";
  }
  const Report report = Analysed(log);
  REQUIRE(!report.causes.empty());
  for (const Cause& cause : report.causes) CHECK(cause.evidence.size() <= limits::kEvidencePerCause);
  CHECK(report.consequences.size() <= limits::kConsequences);
  CHECK(report.harmless.size() <= limits::kHarmlessLines);
  CHECK(report.warnings.size() <= limits::kWarnings);
}

TEST_CASE("numbers at and beyond every width", "[hostile]") {
  for (const char* number :
       {"-1", "0", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "99999999999999999999999999999999999999", "1e400", "0x", "-", "nan"}) {
    const std::string n = number;
    const std::string log =
        "node1:" + n + ":" + n + " [" + n + "] NCCL INFO NCCL version " + n + "." + n + "." + n + "\n" +
        "node1:100:101 [0] x.cc:" + n + " NCCL WARN y\n" +
        "node1:100:101 [0] NCCL INFO ncclCommInitRank comm 0x1 rank " + n + " nranks " + n + " cudaDev " + n +
        " nvmlDev " + n + " busId " + n + " commId 0x" + n + " - Init START\n" +
        "node1:100:101 [0] NCCL INFO Channel " + n + "/" + n + " : " + n + "[" + n + "] -> " + n + "[" + n +
        "] [send] via NET/IB/" + n + "\n" + "node1:100:101 [0] NCCL INFO AllReduce: opCount " + n +
        " sendbuff 0x1 recvbuff 0x1 count " + n + " datatype " + n + " op " + n + " root " + n +
        " comm 0x1 [nranks=" + n + "] stream 0x1\n" + "[rank" + n + "]:[E416 13:21:26.1 ProcessGroupNCCL.cpp:" + n +
        "] [Rank " + n + "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + n +
        ", OpType=ALLREDUCE, NumelIn=" + n + ", NumelOut=" + n + ", Timeout(ms)=" + n + ") ran for " + n +
        " milliseconds before timing out.\n" + n + ": node1:100:101 [0] NCCL INFO x\n" + "[1," + n + "]<stdout>:x\n" +
        "[" + n + ".5] NVRM: Xid (PCI:0000:c1:00): " + n + ", pid=" + n + "\n";
    CAPTURE(n);
    const Report report = Analysed(log);
    CHECK(report.coverage.lines == 9);
    CHECK(RenderReport(report, "json", {}).ok());
  }
}

// Each host's clock is a minute behind the one before it; the first has no other to differ from.
TEST_CASE("clocks of hosts that stand apart", "[hostile]") {
  const auto job = [](size_t hosts) {
    return Repeat(hosts, [&](size_t i) {
      const std::string time = "2025-03-12 " + N(10 + i / 60) + ":" + N(100 + i % 60).substr(1) + ":12.";
      const std::string where = " node" + N(i) + ":100:101 [0] ";
      std::string init = Init(1, i, hosts, "0xaa");
      std::string both = time + "000" + where + init;
      init.replace(init.find("START"), 5, "COMPLETE");
      return both + time + "900" + where + init;
    });
  };
  const auto apart = [&](size_t hosts) { return Analysed(job(hosts)).clocks.size(); };
  CHECK(apart(limits::kReportClocks + 1) == limits::kReportClocks);
  const Report beyond = Analysed(job(limits::kReportClocks + 3));
  CHECK(beyond.clocks.size() == limits::kReportClocks);
  CHECK(Note(beyond, "unlisted") >= 2);
}

TEST_CASE("a further thread is started only where there is room for it", "[hostile]") {
  CHECK(HasRoom(limits::kThreadRoom));
  CHECK(limits::kThreadRoom >= 2 * limits::kRe2Room);
  if (HasRoom(SIZE_MAX / 2)) return;  // sanitizers stand in for malloc
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit tight = before;
  tight.rlim_cur = 1 << 20;  // less than is in use
  const bool set = setrlimit(RLIMIT_AS, &tight) == 0;
  const bool had = HasRoom(limits::kThreadRoom * 64);  // more than the heap may have kept of what ran before
  const bool reset = setrlimit(RLIMIT_AS, &before) == 0;
  REQUIRE((set && reset));
  CHECK_FALSE(had);
}

}  // namespace
}  // namespace ncclwhy::hostile
