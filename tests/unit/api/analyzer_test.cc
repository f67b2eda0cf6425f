#include "ncclwhy/analyzer.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// A directory that goes away with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-api-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// A rank that could not allocate its shared memory.
std::string RankLog(int rank) {
  const std::string header =
      "node1:" + std::to_string(100 + rank) + ":" + std::to_string(100 + rank) + " [" + std::to_string(rank) + "] ";
  return header + "NCCL INFO NCCL version 2.28.9+cuda12.9\n" + header + "NCCL INFO ncclCommInitRank comm 0x55d0" +
         std::to_string(rank) + " rank " + std::to_string(rank) + " nranks 4 cudaDev " + std::to_string(rank) +
         " nvmlDev 0 busId 1000 commId 0x1234567890abcdef - Init START\n\n" + header +
         "misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-abc" + std::to_string(rank) +
         " to 9637892 bytes, error: No space left on device (28)\n";
}

Result<std::unique_ptr<Analyzer>> New(AnalyzerOptions options = {}) { return Analyzer::Create(std::move(options)); }

Report Finished(Analyzer* analyzer) {
  Result<Report> report = analyzer->Finish();
  REQUIRE(report.ok());
  return report.take();
}

std::string Json(const Report& report) { return RenderReport(report, "json", {}).take(); }

TEST_CASE("bytes pushed in any cut give one report", "[api]") {
  const std::string log = RankLog(0);
  std::string first;
  for (const size_t chunk : {size_t{1}, size_t{7}, size_t{64}, log.size()}) {
    const auto analyzer = New().take();
    REQUIRE(analyzer->Begin("rank0").ok());
    for (size_t at = 0; at < log.size(); at += chunk) {
      REQUIRE(analyzer->Push(std::string_view(log).substr(at, chunk)).ok());
    }
    REQUIRE(analyzer->EndSource().ok());
    const std::string json = Json(Finished(analyzer.get()));
    if (first.empty()) first = json;
    CHECK(json == first);
  }
  CHECK(first.find("shm.too-small") != std::string::npos);
}

TEST_CASE("neither threads nor the order of arguments show", "[api]") {
  const TemporaryDirectory directory;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 4; ++rank) {
    paths.push_back(directory.Write("rank" + std::to_string(rank) + ".log", RankLog(rank)));
  }
  std::string first;
  for (const int jobs : {1, 2, 8}) {
    for (int round = 0; round < 2; ++round) {
      AnalyzerOptions options;
      options.jobs = jobs;
      const auto analyzer = New(options).take();
      REQUIRE(analyzer->AddArguments(paths).ok());
      std::reverse(paths.begin(), paths.end());
      const Report report = Finished(analyzer.get());
      CHECK(report.coverage.sources == 4);
      const std::string json = Json(report);
      if (first.empty()) first = json;
      CHECK(json == first);
    }
  }
}

TEST_CASE("a file named twice is read once, equal names get a number", "[api]") {
  const TemporaryDirectory directory;
  const std::string path = directory.Write("a.log", RankLog(0));
  const auto analyzer = New().take();
  REQUIRE(analyzer->AddArguments({path, path, directory / "./a.log"}).ok());
  CHECK(Finished(analyzer.get()).coverage.sources == 1);

  const auto pushed = New().take();
  for (int i = 0; i < 2; ++i) {
    REQUIRE(pushed->Begin("same").ok());
    REQUIRE(pushed->Push(RankLog(i)).ok());
    REQUIRE(pushed->EndSource().ok());
  }
  const Report report = Finished(pushed.get());
  CHECK(report.coverage.sources == 2);
  CHECK(Json(report).find("same (2)") != std::string::npos);
}

TEST_CASE("what cannot be read is a problem, and the rest is analysed", "[api]") {
  const TemporaryDirectory directory;
  const auto analyzer = New().take();
  REQUIRE(analyzer->AddArguments({directory / "missing.log", directory.Write("rank0.log", RankLog(0))}).ok());
  const Report report = Finished(analyzer.get());
  REQUIRE_FALSE(report.problems.empty());
  CHECK(report.problems.front().find("missing.log") != std::string::npos);
  CHECK(ExitStatus(report) == 2);
  REQUIRE_FALSE(report.causes.empty());
  CHECK(report.causes.front().id == "shm.too-small");
}

TEST_CASE("behind the first process that ended of itself, what the others say follows from it", "[api]") {
  const std::string steps = [] {
    std::string text;
    for (int i = 1; i <= 12; ++i) text += "2: step " + std::to_string(i) + "/40\n";
    return text;
  }();
  const std::string exception =
      "1: Traceback (most recent call last):\n1:   File \"/opt/train/data.py\", line 31, in collate\n"
      "1: ValueError: span outside of the sequence\n";
  const std::string retries =
      "0: n0:11:90 [0] transport/net_ib.cc:1984 NCCL WARN NET/IB: Got completion from peer 10.0.0.2<4001> with "
      "status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 remoteGids fe80::2 hca mlx5_0\n";
  const auto causes = [](const std::string& text) {
    auto analyzer = New().take();
    REQUIRE(analyzer->Begin("job.log").ok());
    REQUIRE(analyzer->Push(text).ok());
    const Report report = Finished(analyzer.get());
    std::vector<std::string> ids;
    for (const Cause& cause : report.causes) ids.push_back(cause.id);
    return ids;
  };
  const auto has_retries = [](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), "ib.retry-exceeded") != ids.end();
  };
  const std::vector<std::string> behind = causes(steps + exception + retries);
  REQUIRE_FALSE(behind.empty());
  CHECK(behind[0] == "app.rank-crashed");
  CHECK_FALSE(has_retries(behind));
  CHECK(has_retries(causes(steps + retries + exception)));
}

TEST_CASE("of several hosts the one at which it shows is to blame", "[api]") {
  const auto blamed = [](const std::vector<std::string>& failing) {
    auto analyzer = New().take();
    for (const std::string host : {"gpu-a11", "gpu-a12", "gpu-a13"}) {
      REQUIRE(analyzer->Begin("out." + host + ".log").ok());
      std::string text;
      for (int i = 1; i <= 12; ++i) text += "step " + std::to_string(i) + "/40\n";
      if (std::find(failing.begin(), failing.end(), host) != failing.end()) {
        text += "kernel: NVRM: Xid (PCI:0000:9d:00): 79, pid=7, GPU has fallen off the bus.\n";
      }
      REQUIRE(analyzer->Push(text).ok());
      REQUIRE(analyzer->EndSource().ok());
    }
    const Report report = Finished(analyzer.get());
    REQUIRE_FALSE(report.causes.empty());
    CHECK(report.causes[0].id == "gpu.xid");
    std::vector<std::string> hosts;
    for (const Culprit& c : report.causes[0].culprits) hosts.push_back(c.host);
    return hosts;
  };
  CHECK(blamed({"gpu-a12"}) == std::vector<std::string>{"gpu-a12"});
}

// Hosts that wait tell on the one that does not; who only launches does not, either.
TEST_CASE("of hosts that wait the silent one is to blame, if it has ranks", "[api]") {
  const auto blamed = [](const std::string& silent) {
    auto analyzer = New().take();
    for (const std::string host : {"worker-0", "worker-1"}) {
      REQUIRE(analyzer->Begin(host + ".log").ok());
      REQUIRE(analyzer
                  ->Push("torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 2/3 "
                         "clients joined.\n")
                  .ok());
      REQUIRE(analyzer->EndSource().ok());
    }
    REQUIRE(analyzer->Begin(silent + ".log").ok());
    REQUIRE(analyzer->Push("INFO fetching packages\n").ok());
    REQUIRE(analyzer->EndSource().ok());
    const Report report = Finished(analyzer.get());
    REQUIRE_FALSE(report.causes.empty());
    CHECK(report.causes[0].id == "boot.rank-missing");
    return report.causes[0].culprits.empty() ? std::string() : report.causes[0].culprits[0].host;
  };
  CHECK(blamed("worker-2") == "worker-2");
  CHECK(blamed("launcher-0").empty());
}

TEST_CASE("what a script goes on to do behind its job's end is no cause", "[api]") {
  const std::string driver =
      "n0:11:11 [0] init.cc:1814 NCCL WARN Cuda failure 'CUDA driver version is insufficient for CUDA runtime "
      "version'\n";
  const std::string summary = " 5 FAILED TESTS\n";
  const std::string collect =
      "Traceback (most recent call last):\n  File \"/ci/collect.py\", line 22, in <module>\n"
      "FileNotFoundError: [Errno 2] No such file or directory: 'bench.json'\n";
  const auto first = [](const std::string& text) {
    auto analyzer = New().take();
    REQUIRE(analyzer->Begin("ci.log").ok());
    REQUIRE(analyzer->Push(text).ok());
    const Report report = Finished(analyzer.get());
    REQUIRE_FALSE(report.causes.empty());
    return report.causes[0].id;
  };
  CHECK(first(driver + summary + collect) == "gpu.driver-too-old");
  CHECK(first(collect + summary) == "app.missing-input");
  CHECK(first(summary + collect) == "app.missing-input");
}

TEST_CASE("a table behind a failure is no work that got over it", "[api]") {
  std::string text;
  for (int i = 1; i <= 12; ++i) text += "step " + std::to_string(i) + "/40\n";
  text +=
      "(raylet) 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other "
      "reasons at node (ID: 64, IP: 10.16.8.9)\nPID\tMEM(GB)\tCOMMAND\n";
  for (int pid = 3290; pid < 3297; ++pid) text += std::to_string(pid) + "\t118.2\tray::Worker\n";
  const auto causes = [](const std::string& log) {
    auto analyzer = New().take();
    REQUIRE(analyzer->Begin("ray.log").ok());
    REQUIRE(analyzer->Push(log).ok());
    return Finished(analyzer.get()).causes;
  };
  const std::string end = "Job 'raysubmit_b7Kc1vXq9sRLtE2d' failed\n";
  const std::vector<Cause> found = causes(text + end);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].id == "host.oom");
  // Behind a table that somebody prints at a start, life goes on.
  std::string served;
  for (int i = 0; i < 200; ++i) served += "INFO served a request for " + std::string(1 + i % 7, 'q') + "\n";
  CHECK(causes(text + served).empty());
}

TEST_CASE("no input at all is no NCCL", "[api]") {
  const auto analyzer = New().take();
  const Report report = Finished(analyzer.get());
  CHECK(report.verdict == Verdict::kNoNccl);
  CHECK(report.coverage.lines == 0);
}

TEST_CASE("redaction reaches the report", "[api]") {
  AnalyzerOptions options;
  options.redact = true;
  const auto analyzer = New(options).take();
  REQUIRE(analyzer->Begin("rank0").ok());
  REQUIRE(analyzer->Push(RankLog(0)).ok());
  const std::string json = Json(Finished(analyzer.get()));
  CHECK(json.find("node1") == std::string::npos);
  CHECK(json.find("host-1") != std::string::npos);
}

TEST_CASE("calls in the wrong order and options that contradict are refused with a sentence", "[api]") {
  const auto analyzer = New().take();
  CHECK(analyzer->Push("x").code() == ErrorCode::kInvalidArgument);
  CHECK(analyzer->EndSource().code() == ErrorCode::kInvalidArgument);
  REQUIRE(analyzer->Begin("a").ok());
  CHECK(analyzer->Begin("b").code() == ErrorCode::kInvalidArgument);
  REQUIRE(analyzer->Finish().ok());
  CHECK(analyzer->Finish().status().code() == ErrorCode::kInvalidArgument);

  AnalyzerOptions options;
  options.redact = true;
  options.database = "x.db";
  CHECK(New(options).status().code() == ErrorCode::kInvalidArgument);
  options = {};
  options.top = 0;
  CHECK_FALSE(New(options).status().message().empty());
  options = {};
  options.kb_directories = {"/nonexistent-directory"};
  CHECK_FALSE(New(options).ok());
  CHECK_FALSE(RenderReport(Report(), "pdf", {}).ok());
}

TEST_CASE("the latest checkpoint is the last of its file, of several files that of the highest step", "[api]") {
  const auto checkpoint = [](const std::string& lines, const std::string& of_another = "") {
    const auto analyzer = New().take();
    REQUIRE(analyzer->Begin("job.log").ok());
    REQUIRE(analyzer->Push(lines + RankLog(0)).ok());
    REQUIRE(analyzer->EndSource().ok());
    REQUIRE(analyzer->Begin("slow.log").ok());
    REQUIRE(analyzer->Push(of_another + RankLog(1)).ok());
    return Finished(analyzer.get()).checkpoint;
  };
  const auto latest =
      checkpoint("saved checkpoint at step 20\nsaved checkpoint at step 60\n", "\n\n\nsaved checkpoint at step 40\n");
  REQUIRE(latest);
  CHECK(latest->step == "60");
  CHECK(latest->file == "job.log");
  CHECK(latest->line == 2);
  CHECK(latest->text == "saved checkpoint at step 60");
  const auto unnumbered = checkpoint("saved the checkpoint\nsaved the checkpoint again\n");
  REQUIRE(unnumbered);
  CHECK(unnumbered->step.empty());
  CHECK(unnumbered->line == 2);
  CHECK_FALSE(checkpoint("loaded saved checkpoint from step 20\n"));
}

TEST_CASE("a database that cannot be written is a problem of the report", "[api]") {
  AnalyzerOptions options;
  options.database = "/nonexistent-directory/x.db";
  const auto analyzer = New(options).take();
  REQUIRE(analyzer->Begin("rank0").ok());
  REQUIRE(analyzer->Push(RankLog(0)).ok());
  const Report report = Finished(analyzer.get());
  CHECK_FALSE(report.problems.empty());
  CHECK_FALSE(report.causes.empty());
}

TEST_CASE("progress ends at everything", "[api]") {
  const TemporaryDirectory directory;
  AnalyzerOptions options;
  Progress last;
  options.progress = [&](const Progress& progress) { last = progress; };
  const auto analyzer = New(options).take();
  const std::string log = RankLog(0);
  REQUIRE(analyzer->AddArguments({directory.Write("a.log", log), directory.Write("b.log", log)}).ok());
  Finished(analyzer.get());
  CHECK(last.sources == 2);
  CHECK(last.total == 2);
  CHECK(last.bytes == 2 * log.size());
}

}  // namespace
}  // namespace ncclwhy
