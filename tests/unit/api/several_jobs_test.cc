#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

enum class How { kHealthy, kNoMemory };

// All ranks of a job on one host.
std::string JobLog(const std::string& host, int pid, const std::string& comm_id, How how) {
  std::string out;
  for (const bool starts : {true, false}) {
    for (int rank = 0; rank < 2; ++rank) {
      const std::string id = std::to_string(pid + rank);
      const std::string header = host + ":" + id + ":" + id + " [" + std::to_string(rank) + "] ";
      const std::string comm = "comm 0x55d" + id + " rank " + std::to_string(rank) + " nranks 2 cudaDev " +
                               std::to_string(rank) + " nvmlDev 0 busId 1000";
      if (starts) {
        out += header + "NCCL INFO ncclCommInitRank " + comm + " commId " + comm_id + " - Init START\n";
      } else if (how == How::kHealthy) {
        out += header + "NCCL INFO ncclCommInitRank " + comm + " commId " + comm_id + " - Init COMPLETE\n" + header +
               "NCCL INFO " + comm + " - Destroy COMPLETE\n";
      } else {
        out += header + "misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-abc" + id +
               " to 9637892 bytes, error: No space left on device (28)\n";
      }
    }
  }
  return out;
}

const std::string kGood = JobLog("node1", 100, "0x1111", How::kHealthy);
const std::string kBad = JobLog("node2", 300, "0x2222", How::kNoMemory);

Result<Report> Analyzed(const std::vector<std::pair<std::string, std::string>>& sources, AnalyzerOptions options = {}) {
  auto analyzer = Analyzer::Create(std::move(options));
  REQUIRE(analyzer.ok());
  for (const auto& [name, text] : sources) {
    REQUIRE(analyzer.value()->Begin(name).ok());
    REQUIRE(analyzer.value()->Push(text).ok());
    REQUIRE(analyzer.value()->EndSource().ok());
  }
  return analyzer.value()->Finish();
}

void CheckBoth(const Report& report) {
  REQUIRE(report.jobs.size() == 2);
  CHECK(report.verdict == Verdict::kFailure);
  REQUIRE(!report.causes.empty());
  CHECK(report.causes[0].id == "shm.too-small");
  for (const Culprit& culprit : report.causes[0].culprits) CHECK(culprit.host == "node2");
  CHECK(report.jobs[0].cause == "shm.too-small");
  CHECK(report.jobs[0].exit_status == 1);
  CHECK(report.jobs[1].cause.empty());
  CHECK(report.jobs[1].verdict == Verdict::kHealthy);
  CHECK(report.jobs[1].exit_status == 0);
  CHECK(ExitStatus(report) == 1);
}

TEST_CASE("a healthy run before, behind or beside a failing one hides nothing and is not blamed", "[api][jobs]") {
  for (const std::string& both : {kGood + kBad, kBad + kGood}) {
    const Report report = Analyzed({{"ci.log", both}}).take();
    CheckBoth(report);
    CHECK(report.coverage.lines == 10);
    CHECK(report.coverage.sources == 1);
    CHECK(report.causes[0].evidence[0].file == "ci.log");
  }
  CheckBoth(Analyzed({{"a.log", kGood}, {"b.log", kBad}}).take());
  CheckBoth(Analyzed({{"a.log", kBad}, {"b.log", kGood}}).take());
}

TEST_CASE("evidence in a later run has the line that it has in the stream", "[api][jobs]") {
  const Report alone = Analyzed({{"ci.log", kBad}}).take();
  const Report behind = Analyzed({{"ci.log", kGood + kBad}}).take();
  REQUIRE(alone.jobs.empty());
  REQUIRE(!behind.causes.empty());
  CHECK(behind.causes[0].evidence[0].line == alone.causes[0].evidence[0].line + 6);
  CHECK(behind.causes[0].evidence[0].text == alone.causes[0].evidence[0].text);
  CHECK(behind.causes[0].confidence == alone.causes[0].confidence);
}

TEST_CASE("one of several jobs is told by its number", "[api][jobs]") {
  AnalyzerOptions options;
  options.job = 2;
  const Report good = Analyzed({{"a.log", kGood}, {"b.log", kBad}}, options).take();
  CHECK(good.verdict == Verdict::kHealthy);
  CHECK(good.jobs.empty());
  CHECK(good.coverage.lines == 6);
  CHECK(ExitStatus(good) == 0);
  options.job = 3;
  const Result<Report> none = Analyzed({{"a.log", kGood}, {"b.log", kBad}}, options);
  REQUIRE(!none.ok());
  CHECK(none.status().message().find("hold 2") != std::string::npos);
  options.job = 2;
  CHECK(!Analyzed({{"b.log", kBad}}, options).ok());
  options.job = 1;
  CHECK(Analyzed({{"b.log", kBad}}, options).take().causes[0].id == "shm.too-small");
}

TEST_CASE("attempts at one job stay one job; each has its own outcome", "[api][jobs]") {
  const std::string log = kBad + "[launcher] attempt 1 ended with exit code 1, starting attempt 2\n" +
                          JobLog("node2", 400, "0x3333", How::kHealthy);
  const Report report = Analyzed({{"train.log", log}}).take();
  CHECK(report.jobs.empty());
  REQUIRE(report.attempts.size() == 2);
  CHECK(report.attempts[0].cause == "shm.too-small");
  CHECK(report.attempts[0].first_line == 1);
  CHECK(report.attempts[0].last_line == 5);
  CHECK(report.attempts[1].first_line == 6);
  CHECK(report.attempts[1].outcome == report.outcome);
  AnalyzerOptions options;
  options.attempt = 1;
  const Report first = Analyzed({{"train.log", log}}, options).take();
  CHECK(first.verdict == Verdict::kFailure);
  options.attempt = 2;
  CHECK(Analyzed({{"train.log", log}}, options).take().verdict == Verdict::kHealthy);
  options.attempt = 3;
  CHECK(!Analyzed({{"train.log", log}}, options).ok());
}

TEST_CASE("attempts in files of their own: the last one is the job", "[api][jobs]") {
  const std::string good = JobLog("node2", 400, "0x3333", How::kHealthy);
  const auto told = [&](const std::string& first, const std::string& second) {
    AnalyzerOptions options;
    const std::vector<std::pair<std::string, std::string>> sources = {{first, kBad}, {second, good}};
    const Report report = Analyzed(sources, options).take();
    CHECK(report.verdict == Verdict::kHealthy);
    CHECK(report.jobs.empty());
    REQUIRE(report.attempts.size() == 2);
    CHECK(report.attempts[0].cause == "shm.too-small");
    CHECK(report.attempts[0].file == first);
    CHECK(report.coverage.sources == 2);
    options.attempt = 1;
    CHECK(Analyzed(sources, options).take().verdict == Verdict::kFailure);
    options.attempt = 2;
    CHECK(Analyzed(sources, options).take().verdict == Verdict::kHealthy);
    options.attempt = 3;
    CHECK(!Analyzed(sources, options).ok());
  };
  told("attempt_0/0/stderr.log", "attempt_1/0/stderr.log");
  told("attempt=1.log", "attempt=2.log");  // of Airflow
  told("run/restart1/job.log", "run/restart2/job.log");
  told("pod-previous.txt", "pod.txt");
}

TEST_CASE("a file of an attempt beside others is no attempt by itself", "[api][jobs]") {
  const std::string good = JobLog("node1", 100, "0x3333", How::kHealthy);
  // What the launcher tells of all attempts, beside the files of the only one; a file called previous beside another
  // program's; the first attempt, of whose successor nothing is there.
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"attempt_0/0/stderr.log", "launcher.log"}, {"pod-previous.txt", "dmesg.txt"}}) {
    CHECK(Analyzed({{first, kBad}, {second, good}}).take().verdict == Verdict::kFailure);
  }
  CHECK(Analyzed({{"attempt_0/0/stderr.log", kBad}, {"attempt_1/0/stderr.log", ""}}).take().verdict ==
        Verdict::kFailure);
}

TEST_CASE("a file that ends requeued and one that goes on", "[api][jobs]") {
  const auto log = [](int steps, const std::string& end) {
    std::string text = "training starts\n";
    for (int i = 1; i <= steps; ++i) text += "step " + std::to_string(i) + "/20 loss 2.1\n";
    return text + end;
  };
  const std::string killed =
      "slurmstepd: error: *** JOB 77 ON gn1 CANCELLED AT 2025-01-01T10:00:00 DUE TO JOB REQUEUE ***\n";
  const Report report =
      Analyzed({{"slurm-7714.0.out", log(12, killed)}, {"slurm-7714.1.out", log(20, "Training completed.\n")}}).take();
  CHECK(report.outcome == Outcome::kSucceeded);
  REQUIRE(report.attempts.size() == 2);
  CHECK(report.attempts[0].outcome == Outcome::kStopped);
  // Two tasks of an array of which one came to grief are two stories.
  const std::string died =
      "slurmstepd: error: *** JOB 77 ON gn1 CANCELLED AT 2025-01-01T10:00:00 DUE TO TIME LIMIT ***\n";
  CHECK(Analyzed({{"slurm-7714_0.out", log(12, died)}, {"slurm-7714_1.out", log(20, "Training completed.\n")}})
            .take()
            .attempts.empty());
}

TEST_CASE("the answer does not depend on the order in which sources come", "[api][jobs]") {
  const auto json = [](const Report& report) { return RenderReport(report, "json", {}).take(); };
  const std::string third = JobLog("node3", 500, "0x4444", How::kNoMemory);
  CHECK(json(Analyzed({{"a", kGood}, {"b", kBad}, {"c", third}}).take()) ==
        json(Analyzed({{"c", third}, {"b", kBad}, {"a", kGood}}).take()));
}

// A nohup.out that grows: the run that was taken away is an attempt at the one behind it, not what became of the job.
TEST_CASE("a run that was stopped is made good by one behind it in the same file", "[api][jobs]") {
  const auto world = [](int pid, const std::string& comm_id) {
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
      const std::string process = std::to_string(pid + rank);
      text += "gn1:" + process + ":" + process + " [" + std::to_string(rank) +
              "] NCCL INFO ncclCommInitRank comm 0x55" + process + " rank " + std::to_string(rank) +
              " nranks 2 cudaDev " + std::to_string(rank) + " busId 1000 commId " + comm_id + " - Init COMPLETE\n";
    }
    return text;
  };
  const auto steps = [](int last) {
    std::string text;
    for (int i = 1; i <= last; ++i) text += "step " + std::to_string(i) + "/20 loss 2.1\n";
    return text;
  };
  const std::string stopped =
      world(100, "0xa1") + steps(12) +
      "slurmstepd: error: *** JOB 77 ON gn1 CANCELLED AT 2025-01-01T10:00:00 DUE TO PREEMPTION ***\n";
  const std::string good = world(900, "0xa2") + steps(20) + "Training completed.\n";
  const Report report = Analyzed({{"nohup.out", stopped + good}}).take();
  CHECK(report.verdict == Verdict::kHealthy);
  CHECK(report.outcome == Outcome::kSucceeded);
  CHECK(report.jobs.empty());
  REQUIRE(report.attempts.size() == 2);
  CHECK(report.attempts[0].cause == "stopped.preempted");
  CHECK(report.coverage.lines == 38);
  AnalyzerOptions options;
  options.attempt = 1;
  CHECK(Analyzed({{"nohup.out", stopped + good}}, options).take().causes.at(0).id == "stopped.preempted");
  options.attempt = 2;
  CHECK(Analyzed({{"nohup.out", stopped + good}}, options).take().outcome == Outcome::kSucceeded);
  options.attempt = 3;
  CHECK_FALSE(Analyzed({{"nohup.out", stopped + good}}, options).ok());
  // What failed by itself is a job of its own, whatever comes behind it.
  const std::string broke = world(100, "0xa1") + steps(12) + "RuntimeError: CUDA error: out of memory\n";
  const Report failed = Analyzed({{"nohup.out", broke + good}}).take();
  CHECK(failed.verdict == Verdict::kFailure);
}

}  // namespace
}  // namespace ncclwhy
