// A line on a shared terminal names no process: whom the launchers saw end of its own accord is named.
#include <string>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

// Four ranks on `hosts` hosts, then what nobody labels.
std::string Terminal(int hosts, const std::string& behind) {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string host = "cn-4" + std::to_string(hosts == 1 ? 0 : rank / 2), r = std::to_string(rank);
    const std::string gpu = std::to_string(hosts == 1 ? rank : rank % 2);
    log += host + ":810" + r + ":810" + r + " [" + gpu + "] NCCL INFO ncclCommInitRank comm 0x55d" + r + " rank " + r +
           " nranks 4 cudaDev " + gpu + " nvmlDev " + gpu + " busId 1b000 commId 0x77 - Init COMPLETE\n";
  }
  for (int i = 1; i < 20; ++i) log += "step " + std::to_string(i) + "/1000 loss 2.1\n";
  return log + "Traceback (most recent call last):\n  File \"/app/main.py\", line 91, in <module>\n" +
         "    loss.backward()\nRuntimeError: CUDA error: device-side assert triggered\n" + behind;
}

std::string Culprit(const std::string& log) {
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(log).ok());
  REQUIRE(analyzer->EndSource().ok());
  const Report report = analyzer->Finish().take();
  if (report.causes.empty() || report.causes[0].culprits.empty()) return report.causes.empty() ? "no cause" : "nobody";
  const auto& who = report.causes[0].culprits[0];
  return std::to_string(who.rank) + " on " + who.host;
}

std::string Row(int rank, int code) {
  const std::string pid = "(pid: 810" + std::to_string(rank) + ")\n";
  return "  host      : cn-4x\n  rank      : " + std::to_string(rank) + " (local_rank: " + std::to_string(rank) +
         ")\n  exitcode  : " + std::to_string(code) + " " + pid + "  error_file: <N/A>\n";
}

TEST_CASE("a launcher that saw one worker end of itself tells whose the line is", "[analyze]") {
  struct Case {
    int hosts;
    std::string said;
  };
  const Case cases[] = {
      {2, "srun: error: cn-41: task 3: Exited with exit code 1\nsrun: error: cn-40: tasks 0-1: Terminated\n"},
      {2, "mpirun noticed that process rank 3 with PID 8103 on node cn-41 exited on signal 6 (Aborted).\n"},
      {2,
       "prterun detected that one or more processes exited with non-zero status,\nthus causing the job to be "
       "terminated. The first process to do so was:\n\n   Process name: [prterun-cn-40-8000@1,3]\n   Exit code:    "
       "1\n"},
      {2,
       "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 0 PID 8100 RUNNING AT cn-40\n"
       "=   KILLED BY SIGNAL: 9 (Killed)\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
       "=   RANK 3 PID 8103 RUNNING AT cn-41\n=   KILLED BY SIGNAL: 6 (Aborted)\n"},
      {2, "cn-41.cluster: rank 3 exited with code 1\ncn-40.cluster: rank 0 died from signal 15\n"},
      {2, "Process 3 exit with status code 1.\nProcess 1 exit with status code 143.\n"},
      {1,
       "torch.multiprocessing.spawn.ProcessRaisedException:\n\n-- Process 3 terminated with the following error:\n"
       "Traceback (most recent call last):\nRuntimeError: CUDA error: device-side assert triggered\n"},
      {1,
       "[2026-03-01 09:00:01,342] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', 'main.py', "
       "'--local_rank=3'] exits with return code = 1\n"},
      {1, "Failures:\n[1]:\n" + Row(0, -15) + "Root Cause (first observed failure):\n[0]:\n" + Row(3, 1)},
  };
  for (const Case& c : cases) {
    INFO(c.said);
    CHECK(Culprit(Terminal(c.hosts, c.said)).starts_with("3 on cn-4"));
  }
}

TEST_CASE("where several workers ended of themselves, or the tables do not tell, nobody is named", "[analyze]") {
  const std::string cases[] = {
      "srun: error: cn-41: task 3: Exited with exit code 1\nsrun: error: cn-40: task 0: Exited with exit code 1\n",
      "srun: error: cn-41: task 3: Terminated\n",
      "Failures:\n[1]:\n" + Row(0, 1) + "Root Cause (first observed failure):\n[0]:\n" + Row(3, 1),
      // Two hosts, and a local rank.
      "[2026-03-01 09:00:01,342] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', 'main.py', "
      "'--local_rank=1'] exits with return code = 1\n",
  };
  for (const std::string& said : cases) {
    INFO(said);
    CHECK(Culprit(Terminal(2, said)) == "nobody");
  }
}

TEST_CASE("several workers of one host name the host; who aborts did not raise the exception", "[analyze]") {
  CHECK(Culprit(Terminal(2, "srun: error: cn-41: tasks 2-3: Exited with exit code 1\n")) == "-1 on cn-41");
  CHECK(Culprit(Terminal(2,
                         "srun: error: cn-41: tasks 2-3: Exited with exit code 1\n"
                         "srun: error: cn-40: task 0: Aborted (core dumped)\n")) == "-1 on cn-41");
  CHECK(Culprit(Terminal(2,
                         "srun: error: cn-41: tasks 2-3: Exited with exit code 1\n"
                         "srun: error: cn-40: tasks 0-1: Exited with exit code 1\n")) == "nobody");
}

TEST_CASE("a scheduler's task that is a launcher: its table says which of its ranks", "[analyze]") {
  std::string log;
  for (int task = 0; task < 2; ++task) {
    for (int i = 0; i < 3; ++i) {
      log += std::to_string(task) + ": [2026-03-01 09:00:01,342] torch.distributed.run: [WARNING] " +
             "Setting OMP_NUM_THREADS environment variable for each process to be 1\n";
    }
  }
  log += "0: cn-40:8100:8100 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n";
  log +=
      "1: Root Cause (first observed failure):\n1: [0]:\n1:   host      : cn-41.cluster\n"
      "1:   rank      : 6 (local_rank: 2)\n1:   exitcode  : -9 (pid: 8102)\n";
  log += "srun: error: cn-41: task 1: Out Of Memory\n";
  CHECK(Culprit(log) == "6 on cn-41");
}

// Who says that its driver is too old, of four ranks on two hosts that only the program names.
std::string TooOld(const std::vector<int>& ranks) {
  std::string log;
  const auto label = [](int rank) { return "[1," + std::to_string(rank) + "]<stderr>:"; };
  for (int rank = 0; rank < 4; ++rank) {
    log += label(rank) + "[I] mpi rank " + std::to_string(rank) + " of 4 on box-" + (rank < 2 ? "red" : "blue") +
           ", local rank " + std::to_string(rank % 2) + "\n";
  }
  for (const int rank : ranks) {
    log += label(rank) + "Traceback (most recent call last):\n" + label(rank) + "  File \"/app/serve.py\", line 8\n" +
           label(rank) +
           "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update " +
           "your GPU driver\n";
  }
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(log).ok());
  REQUIRE(analyzer->EndSource().ok());
  std::string who;
  const Report report = analyzer->Finish().take();
  REQUIRE(!report.causes.empty());
  CHECK(report.causes[0].id == "gpu.driver-too-old");
  for (const auto& c : report.causes[0].culprits) who += std::to_string(c.rank) + " on " + c.host + "; ";
  return who;
}

TEST_CASE("those who fail with the same words are named together, with the host that the program tells", "[analyze]") {
  CHECK(TooOld({2, 3}) == "2 on box-blue; 3 on box-blue; ");
  CHECK(TooOld({1}) == "1 on box-red; ");
}

TEST_CASE("a process of which nothing is known is nobody in particular", "[analyze]") {
  CHECK(Culprit("  what():  cudaDeviceSynchronize() error( cudaErrorIllegalAddress): an illegal memory access was "
                "encountered /src/kokkos/core/src/Cuda/Kokkos_Cuda_Instance.cpp:156\n"
                "mpirun noticed that process rank 3 with PID 60214 on node gh04 exited on signal 6 (Aborted).\n") ==
        "3 on gh04");
}

}  // namespace
}  // namespace ncclwhy
