// Whose a line is that names no rank: a kernel's pid or PCI address, the label of a node, a launcher's table.
#include <string>
#include <utility>
#include <vector>

#include "analyze/process_on_gpu.h"
#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

// Two ranks on each of two hosts, under srun's label of their node.
std::string Labelled(const std::string& behind) {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string node = std::to_string(rank / 2), r = std::to_string(rank), gpu = std::to_string(rank % 2);
    const std::string header = node + ": gpu-b1" + node + ":700" + r + ":700" + r + " [" + gpu + "] NCCL INFO ";
    log += header + "Bootstrap: Using eth0:10.0.0." + node + "<0>\n" + header + "ncclCommInitRank comm 0x7f0" + r +
           " rank " + r + " nranks 4 cudaDev " + gpu + " nvmlDev " + gpu + " busId " +
           (gpu == "0" ? "1b000" : "c3000") + " commId 0x77 - Init COMPLETE\n";
  }
  for (int i = 1; i < 20; ++i) log += "0: step " + std::to_string(i) + "/1000 loss 2.1\n";
  return log + behind;
}

std::string Culprit(const Files& files) {
  const auto analyzer = Analyzer::Create({}).take();
  for (const auto& [name, text] : files) {
    REQUIRE(analyzer->Begin(name).ok());
    REQUIRE(analyzer->Push(text).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  const Report report = analyzer->Finish().take();
  if (report.causes.empty() || report.causes[0].culprits.empty()) return report.causes.empty() ? "no cause" : "nobody";
  const auto& who = report.causes[0].culprits[0];
  return std::to_string(who.rank) + " on " + who.host;
}

TEST_CASE("a kernel's line is of the host in front of it, and of the rank with its pid", "[analyze]") {
  const std::string oom =
      "Mar  1 12:00:01 gpu-b11 kernel: [883.4] Out of memory: Killed process 7003 (python) total-vm:204000088kB, "
      "anon-rss:128848804kB, file-rss:0kB\n";
  CHECK(Culprit({{"job.log", Labelled("")}, {"messages.txt", oom}}) == "3 on gpu-b11");
}

TEST_CASE("a kernel's line on a helper is of the one rank there that lost one", "[analyze]") {
  const std::string oom =
      "Mar  1 12:00:01 gpu-b11 kernel: [883.4] Memory cgroup out of memory: Killed process 9155 (pt_data_worker) "
      "total-vm:61000144kB, anon-rss:41000112kB, file-rss:0kB\n";
  const auto lost = [](int rank) {
    const std::string label = "1: [rank" + std::to_string(rank) + "]: ";
    return label + "Traceback (most recent call last):\n" + label + "  File \"train.py\", line 5, in <module>\n" +
           label + "RuntimeError: DataLoader worker (pid 9155) is killed by signal: Killed.\n";
  };
  CHECK(Culprit({{"job.log", Labelled(lost(3))}, {"messages.txt", oom}}) == "3 on gpu-b11");
  CHECK(Culprit({{"job.log", Labelled(lost(2) + lost(3))}, {"messages.txt", oom}}) == "-1 on gpu-b11");
}

TEST_CASE("a GPU that a kernel names by its PCI address is that of the rank that sits there", "[analyze]") {
  const std::string fault = " kernel: [412.1] NVRM: Xid (PCI:0000:c3:00): 79, GPU has fallen off the bus.\n";
  CHECK(Culprit({{"job.log", Labelled("")}, {"messages.txt", "Mar  1 12:00:01 gpu-b10" + fault}}) == "1 on gpu-b10");
}

TEST_CASE("of a process that drives several GPUs the rank is named whose GPU sits there", "[analyze]") {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string r = std::to_string(rank);
    log += "gpu-b10:7000:701" + r + " [" + r + "] NCCL INFO ncclCommInitRank comm 0x7f0" + r + " rank " + r +
           " nranks 4 cudaDev " + r + " nvmlDev " + r + " busId " + std::to_string(rank + 1) +
           "1000 commId 0x77 - Init COMPLETE\n";
  }
  const std::string fault =
      "Mar  1 12:00:01 gpu-b10 kernel: [412.1] NVRM: Xid (PCI:0000:31:00): 79, GPU has fallen off the bus.\n";
  CHECK(Culprit({{"job.log", log}, {"messages.txt", fault}}) == "2 on gpu-b10");
}

TEST_CASE("a PCI address names a process only where its host is known", "[analyze]") {
  JobModel model;
  model.hosts = {"10.0.0.1", "10.0.0.2"};
  for (uint32_t i = 0; i < 2; ++i) {
    Process p;
    p.id = ProcessId{i};
    p.host = model.hosts[i];
    p.bus_id = i == 0 ? "1b000" : "c3000";
    model.processes.push_back(p);
  }
  CHECK(ProcessOnGpu(model, "10.0.0.2", "0000:C3:00").value == 1);
  CHECK(ProcessOnGpu(model, "10.0.0.2", "0000:c3:00.0").value == 1);
  CHECK_FALSE(ProcessOnGpu(model, "10.0.0.1", "0000:c3:00.0").valid());  // there it is somebody else's
  CHECK_FALSE(ProcessOnGpu(model, "", "0000:c3:00.0").valid());
}

TEST_CASE("the blocks of several hosts in one file are no progress, and their pids name the rank", "[analyze]") {
  const std::string said =
      "1: terminate called after throwing an instance of 'c10::Error'\n"
      "1:   what():  CUDA error: uncorrectable ECC error encountered\n";
  const std::string kernels =
      "===== gpu-b10 =====\n[Tue Feb 18 02:13:12 2025] nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected\n"
      "===== gpu-b11 =====\n[Tue Feb 18 03:35:34 2025] NVRM: Xid (PCI:0000:c3:00): 94, pid=7003, name=python, "
      "Contained\n"
      "===== gpu-b12 =====\n[Tue Feb 18 02:15:06 2025] nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected\n"
      "===== gpu-b13 =====\n===== gpu-b14 =====\n";
  CHECK(Culprit({{"job.log", Labelled(said)}, {"dmesg.txt", kernels}}) == "3 on gpu-b11");
}

TEST_CASE("the number of a node in front of a line is no rank", "[analyze]") {
  const std::string said =
      "1: terminate called after throwing an instance of 'c10::Error'\n"
      "1:   what():  CUDA error: uncorrectable ECC error encountered\n";
  CHECK(Culprit({{"job.log", Labelled(said)}}) == "-1 on gpu-b11");
}

TEST_CASE("what is wrong with a host is not laid to the rank that its launcher saw fail", "[analyze]") {
  std::string log;
  for (const char* host : {"gpu-b10", "gpu-b11"}) {
    const std::string h = host;
    log += h + ": " + h + ":7001:7001 [0] NCCL INFO Bootstrap: Using eth0:10.0.0." + h.substr(5) + "<0>\n";
  }
  log +=
      "gpu-b11: torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
      "gpu-b11: Root Cause (first observed failure):\ngpu-b11:   rank      : 23 (local_rank: 7)\n"
      "gpu-b11:   exitcode  : 1 (pid: 9022)\n";
  const std::string link =
      "Mar  1 12:00:01 gpu-b11 kernel: [883.4] NVRM: Xid (PCI:0000:99:00): 79, GPU has fallen off the bus.\n";
  CHECK(Culprit({{"job.log", log}, {"messages.txt", link}}) == "-1 on gpu-b11");
}

TEST_CASE("the local rank that a launcher saw fail on a node is a rank of the job", "[analyze]") {
  std::string log;
  for (int node = 0; node < 3; ++node) {
    const std::string host = "gpu-b1" + std::to_string(node) + ": ";
    for (int i = 0; i < 2; ++i)
      log += host + "[2026-03-01 01:10:06,631] [INFO] [launch.py:247:main] dist_world_size=24\n";
    log += host + "[2026-03-01 01:10:06,631] [INFO] [launch.py:235:main] nnodes=3, num_local_procs=8, node_rank=" +
           std::to_string(node) + "\n";
  }
  log +=
      "gpu-b12: Traceback (most recent call last):\ngpu-b12:   File \"train.py\", line 9, in main\n"
      "gpu-b12: KeyError: 'labels'\n"
      "gpu-b12: [2026-03-01 02:49:58,342] [ERROR] [launch.py:324:sigkill_handler] ['/usr/bin/python3', '-u', "
      "'train.py', "
      "'--local_rank=5'] exits with return code = 1\n";
  CHECK(Culprit({{"job.log", log}}) == "21 on gpu-b12");
}

TEST_CASE("a worker that Ray labels by pid says its rank itself", "[analyze]") {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string label =
        "(RayWorkerWrapper pid=700" + std::to_string(rank) + ", ip=10.0.0." + std::to_string(rank / 2) + ") ";
    log += label + "INFO 03-19 15:20:31 parallel_state.py:701] rank " + std::to_string(rank) +
           " in world size 4 is assigned as DP rank 0, PP rank 0, TP rank " + std::to_string(rank) + "\n";
  }
  log +=
      "(RayWorkerWrapper pid=7002, ip=10.0.0.1) ERROR 03-19 15:43:12 worker_base.py:148] torch.OutOfMemoryError: CUDA "
      "out of "
      "memory. Tried to allocate 768.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 311.19 MiB is free.\n";
  CHECK(Culprit({{"driver.log", log}}).starts_with("2 on"));
}

TEST_CASE("the name of the tool in front of a file's host is no part of it", "[analyze]") {
  const std::string fault = "NVRM: Xid (PCI:0000:99:00): 79, GPU has fallen off the bus.\n";
  CHECK(Culprit({{"dmesg-gpu-b10.txt", "[Tue Feb 18 02:13:12 2025] usb 1-1: new device\n"},
                 {"dmesg-gpu-b17.txt", "[Tue Feb 18 03:35:34 2025] " + fault},
                 {"job.log", Labelled("")}}) == "-1 on gpu-b17");
}

TEST_CASE("whom the launcher of a host saw fail is the rank that failed there", "[analyze]") {
  std::string log;
  for (const char* host : {"gpu-b10", "gpu-b11"}) {
    const std::string h = host;
    log += h + ": " + h + ":7001:7001 [0] NCCL INFO cudaDriverVersion 12020\n" + h + ": " + h +
           ":7001:7001 [0] NCCL INFO Bootstrap: Using eth0:10.0.0." + h.substr(5) + "<0>\n";
  }
  log +=
      "gpu-b11: Traceback (most recent call last):\ngpu-b11:   File \"train.py\", line 3, in main\n"
      "gpu-b11: RuntimeError: CUDA error: invalid device ordinal\n"
      "gpu-b11: [2026-03-01 12:00:03,771] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) "
      "local_rank: 7 (pid: 9022) of binary: /opt/bin/python\n"
      "gpu-b11: torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
      "gpu-b11: Root Cause (first observed failure):\ngpu-b11: [0]:\ngpu-b11:   host      : gpu-b11\n"
      "gpu-b11:   rank      : 23 (local_rank: 7)\ngpu-b11:   exitcode  : 1 (pid: 9022)\n";
  CHECK(Culprit({{"job.log", log}}) == "23 on gpu-b11");
}

TEST_CASE("of ranks of which one did not join it is the one that does not complain", "[analyze]") {
  const auto log = [](int silent) {
    std::string text;
    for (int rank = 0; rank < 4; ++rank) text += std::to_string(rank) + ": loading the program\n";
    for (int rank = 3; rank >= 0; --rank) {
      if (rank == silent) continue;
      const std::string label = std::to_string(rank) + ": ";
      text += label + "Traceback (most recent call last):\n" + label + "  File \"train.py\", line 9, in main\n";
      text +=
          label + (rank == 0 ? "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. "
                               "3/4 clients joined.\n"
                             : "torch.distributed.DistNetworkError: Socket Timeout\n");
    }
    return text;
  };
  CHECK(Culprit({{"job.out", log(2)}}).starts_with("2 on"));
  CHECK(Culprit({{"job.out", log(3)}}).starts_with("3 on"));
  CHECK(Culprit({{"job.out", log(-1)}}) == "nobody");
}

}  // namespace
}  // namespace ncclwhy
