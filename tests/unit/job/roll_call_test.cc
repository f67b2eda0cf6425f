#include "job/roll_call.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

struct Job {
  explicit Job(const std::string& text) {
    Parser parser("train.log", nullptr, nullptr, {});
    parser.Push(text);
    facts = parser.Finish();
    model = BuildJobModel({&facts});
  }
  SourceFacts facts;
  JobModel model;
};

TEST_CASE("who is where, in a table whose head names its columns", "[job]") {
  const Job job(
      "rank host pid device pci\n"
      "---- ---- --- ------ ---\n"
      "   0 gpu-a03 678101 0 0000:04:00.0\n"
      "   1 gpu-a03 678102 1 0000:85:00.0\n"
      "   2 gpu-a05 493716 0 0000:04:00.0\n"
      "grid 4096x4096 decomposed\n"
      "   3 gpu-a09 493718 0 0000:04:00.0\n"
      "NSpid:\t1402416\t678102\n");
  const RollCall roll(job.model);
  CHECK(roll.HostOf(2) == "gpu-a05");
  CHECK(roll.HostOf(3).empty());  // the table had ended
  CHECK(roll.RankOnGpu("gpu-a03", "0000:85:00") == 1);
  CHECK(roll.RankOnGpu("gpu-a05", "0000:85:00") == -1);
  CHECK(roll.RankOfPid(678102, "gpu-a03") == 1);
  CHECK(roll.RankOfPid(1402416, "") == 1);
}

TEST_CASE("who is where, in the words of programs", "[job]") {
  const std::vector<std::pair<std::string, std::string>> kForms = {
      {"INFO | utils | initialized host gpu-a0N as rank N pid 19207N", "gpu-a0"},
      {"host=gpu-a0N world=0N local=5/6 gpu=5", "gpu-a0"},
      {"[I 240118 10:10:04 trainer:88] torch 2.1.2+cu121, rank N/8 on gpu-a0N", "gpu-a0"},
      {"N: process N/8 on gpu-a0N local_devices=4 ip 10.0.3.16", "gpu-a0"},
  };
  for (const auto& [form, host] : kForms) {
    INFO(form);
    std::string text;
    for (const char n : {'3', '5'}) {
      for (const char c : form) text += c == 'N' ? n : c;
      text += '\n';
    }
    const Job job(text);
    const RollCall roll(job.model);
    CHECK(roll.HostOf(3) == host + "3");
    CHECK(roll.HostOf(5) == host + "5");
    CHECK(roll.HostOf(4).empty());
  }
}

TEST_CASE("addresses and GPUs of ranks", "[job]") {
  const Job job(
      "task [xgboost.dask-5]:tcp://10.0.3.19:40905 got new rank 5\n"
      "INFO:dist:rank=12 local_rank=4 device=GPU-faa31e25-02b0-1b93-203f-5c5c490202b7 H100\n"
      "Sep 02 01:32:41 gpu-a17 kernel: NVRM: GPU at PCI:0000:9d:00: GPU-faa31e25-02b0-1b93-203f-5c5c490202b7\n");
  const RollCall roll(job.model);
  CHECK(roll.RankAt("10.0.3.19:40905") == 5);
  CHECK(roll.RankAt("10.0.3.19:40906") == -1);
  CHECK(roll.RankOnGpu("gpu-a17", "0000:9d:00") == 12);
  CHECK(roll.RankOnGpu("gpu-a18", "0000:9d:00") == -1);
}

TEST_CASE("pids with their ranks, as somebody lists them or a labelled process says", "[job]") {
  const Job job(
      "5124 RANK=4\n5125 RANK=5\nw-1 pid map: 77->41175 (rank 8) 78->41176 (rank 9) 79->41177\n"
      "(WorkerDict pid=31004) [reward] rank 3 sandbox: running\n(WorkerDict pid=31005) waiting for rank 3\n");
  const RollCall roll(job.model);
  CHECK(roll.RankOfPid(5125, "") == 5);
  CHECK(roll.RankOfPid(41176, "") == 9);
  CHECK(roll.RankOfPid(41177, "") == -1);
  CHECK(roll.RankOfPid(31004, "") == 3);
  CHECK(roll.RankOfPid(31005, "") == -1);
}

TEST_CASE("a host without a number in its name", "[job]") {
  const Job job(
      "mpi rank 0 of 4 on dgx-a, local rank 0\nmpi rank 2 of 4 on dgx-b, local rank 0\n"
      "rank 5 trains on data-parallel group 0, local rank 1\nrank 6 waits on all-reduce\n"
      "seg: rank 8 size 16 local_rank 0 host r07\nrank 9 moves from host to device 1\n");
  const RollCall roll(job.model);
  CHECK(roll.HostOf(0) == "dgx-a");
  CHECK(roll.HostOf(2) == "dgx-b");
  CHECK(roll.HostOf(5).empty());
  CHECK(roll.HostOf(6).empty());
  CHECK(roll.HostOf(8) == "r07");
  CHECK(roll.HostOf(9).empty());
}

TEST_CASE("what is no roll call", "[job]") {
  const Job job(
      "rank 3 trains on h100\nrank 4 trains on h100\n"             // no host: the same of all
      "ranks 0-7 on gpu-a17\nrank 1 talks to rank 2 on gpu-a17\n"  // several
      "local_rank=6 host=gpu-a17\nnode_rank=7 host=gpu-a17\n"      // other ranks
      "rank=8 host=gpu-a17\nrank=8 host=gpu-a18\n");               // told differently
  const RollCall roll(job.model);
  for (int32_t rank = 0; rank < 9; ++rank) {
    INFO(rank);
    CHECK(roll.HostOf(rank).empty());
  }
}

TEST_CASE("torchrun's table says on which host a rank ended", "[job]") {
  const auto table = [](const std::string& host) {
    return "Root Cause (first observed failure):\n[0]:\n  time      : 2025-04-01_10:11:12\n  host      : " + host +
           "\n  rank      : 9 (local_rank: 1)\n  exitcode  : -9 (pid: 5511)\n  error_file: <N/A>\n";
  };
  CHECK(RollCall(Job(table("10.0.0.18")).model).HostOf(9) == "10.0.0.18");
  CHECK(RollCall(Job(table("localhost")).model).HostOf(9).empty());
  const std::string speaks = "node18:5510:5530 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.18<0>\n";
  CHECK(RollCall(Job(speaks + table("10.0.0.18")).model).HostOf(9) == "node18");
  CHECK(RollCall(Job(speaks + table("node18.hpc.example.org")).model).HostOf(9) == "node18");
  CHECK(RollCall(Job(table("node18") + table("node19")).model).HostOf(9).empty());
  // The kernel of a host that the table does not name may have another name for it; of one that lines know it is not.
  CHECK(RollCall(Job(table("worker3")).model).RankOfPid(5511, "ip-172-31-40-13") == 9);
  CHECK(RollCall(Job(speaks + table("node18")).model).RankOfPid(5511, "node18") == 9);
  CHECK(RollCall(Job(speaks + table("node18")).model).RankOfPid(5511, "node19") == -1);
}

}  // namespace
}  // namespace ncclwhy
