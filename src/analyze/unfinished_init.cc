#include "analyze/unfinished_init.h"

#include <fmt/format.h>

#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

// Init START is printed since 2.18; before, the lines of the topology show that INIT was among NCCL_DEBUG_SUBSYS, and
// with it Init COMPLETE, which is printed by all releases.
bool Unfinished(const Rank& r) {
  return r.seen && !r.aborted && !r.destroyed && r.init_complete.line == 0 && r.reached < Stage::kReady &&
         (r.init_start.line != 0 || r.reached >= Stage::kTopology);
}

struct Unready {
  const Communicator* communicator = nullptr;
  int64_t ranks = 0;
  const Rank* behind = nullptr;  // the least advanced one
};

Unready LargestUnready(const JobModel& model) {
  Unready most;
  for (const Communicator& c : model.communicators) {
    Unready here;
    here.communicator = &c;
    for (const Rank& r : c.ranks) {
      if (r.reached >= Stage::kRunning) return {};
      if (!Unfinished(r)) continue;
      ++here.ranks;
      if (here.behind == nullptr || r.reached < here.behind->reached) here.behind = &r;
    }
    // Torn lines lose the end of a few; what is unfinished is so on most ranks, as they wait for each other.
    if (here.ranks * 2 > c.ranks_seen && here.ranks > most.ranks) most = here;
  }
  return most;
}

std::string Advice(const Unready& u, bool zh) {
  if (u.behind->reached <= Stage::kBootstrap) {
    return zh ? "如果作业停在这里：所有 rank 都必须启动，并能连到 rank 0 的 bootstrap 地址（网卡、防火墙）。"
              : "If the job hangs there: every rank must have been started and must reach the bootstrap address of "
                "rank 0 "
                "(interface, firewall).";
  }
  return zh ? "如果作业停在这里：分别用 NCCL_P2P_DISABLE=1、NCCL_SHM_DISABLE=1、NCCL_IB_DISABLE=1 各试一次，"
              "哪个有效就说明是哪种传输；P2P 停住多因 ACS 或 IOMMU。"
            : "If the job hangs there: try once each with NCCL_P2P_DISABLE=1, NCCL_SHM_DISABLE=1 and "
              "NCCL_IB_DISABLE=1; "
              "the one that helps names the transport (P2P that hangs is mostly ACS or the IOMMU).";
}

}  // namespace

void AddUnfinishedInit(const JobModel& model, Language language, Report* report) {
  if (report->verdict != Verdict::kHealthy) return;
  const Unready u = LargestUnready(model);
  if (u.ranks == 0) return;
  const bool zh = language == Language::kChinese;
  Warning w;
  w.id = kUnfinishedInit;
  w.text = zh ? fmt::format("日志结束时初始化尚未完成：{} 个 rank 中有 {} 个没有走完，最慢的 rank {} 停在 {} 阶段。",
                            u.communicator->ranks_seen, u.ranks, u.behind->rank, StageName(u.behind->stage()))
              : fmt::format(
                    "the logs end before initialisation did: {} of {} ranks seen have not finished, rank {} is "
                    "at \"{}\". ",
                    u.ranks, u.communicator->ranks_seen, u.behind->rank, StageName(u.behind->stage()));
  w.text += Advice(u, zh);
  if (const Place& last = u.behind->last; last.line != 0 && last.source.valid()) {
    w.evidence.push_back(PlaceEvidence(model, last, "supporting"));
  }
  report->warnings.insert(report->warnings.begin(), std::move(w));
  if (!report->collect.empty()) return;
  report->collect.push_back({zh ? "卡住时每个 rank 的调用栈" : "The stack of every rank while it hangs",
                             "py-spy dump --native --pid PID   # or: gdb -p PID -batch -ex 'thread apply all bt'"});
  report->collect.push_back(
      {zh ? "每个 rank 的日志，含建立连接的过程" : "The log of every rank, with how it connects",
       "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,ENV,NET,P2P,SHM,GRAPH NCCL_DEBUG_FILE=/tmp/nccl.%h.%p.log"});
}

}  // namespace ncclwhy
