#include "gen/ending.h"

#include <string>
#include <vector>

namespace ncclwhy::bench {
namespace {

std::vector<Group> GroupsOf(const Job& job) {
  std::vector<Group> groups;
  if (job.HasGroups()) groups = {Group::kData, Group::kTensor};
  groups.push_back(Group::kWorld);
  return groups;
}

// From 2.30.3 these lines belong to subsystem DESTROY, which is not shown by default.
bool ShowsDestroy(const Printer& printer) { return printer.era().code < 23003 || printer.Shows(Verbosity::kAll); }

// "comm 0x… rank 0 nranks 4 cudaDev 0 busId 10000 - Abort COMPLETE"
void PrintEnd(Group group, std::string_view nranks, std::string_view what, Printer* printer) {
  if (!ShowsDestroy(*printer)) return;
  const Job& job = printer->job();
  printer->Info("comm 0x{:x} rank {} {} {} cudaDev {} busId {:x} - {}", job.CommPointer(printer->rank(), group),
                job.GroupRank(printer->rank(), group), nranks, job.GroupSize(printer->rank(), group), printer->device(),
                Job::BusId(printer->device()), what);
}

void PrintServiceClosed(Printer* printer) {
  if (ShowsDestroy(*printer)) {
    printer->InfoOf(Thread::kService, "[Service thread] Connection closed by localRank {}", printer->device());
  }
}

void PrintAbort(Printer* printer) {
  for (Group group : GroupsOf(printer->job())) {
    if (printer->era().abort_start()) PrintEnd(group, "nRanks", "Abort START", printer);
    printer->Results(Thread::kMain, printer->era().abort_main);
    printer->Results(Thread::kService, printer->era().abort_service);
    if (printer->era().code < 22300) PrintServiceClosed(printer);
    PrintEnd(group, "nranks", "Abort COMPLETE", printer);
  }
}

std::string ClosedText(int peer, const Printer& printer) {
  const Job& job = printer.job();
  return fmt::format("socketProgress: Connection closed by remote peer {}<{}>", job.HostName(job.HostOf(peer)),
                     job.Port(peer, printer.rank() % 64));
}

}  // namespace

void PrintPeerLost(int peer, Printer* printer) {
  if (printer->job().spec().infiniband) {
    PrintCompletionError(peer, 12, printer);
    return;
  }
  printer->Warn(Thread::kProgress, printer->era().closed_at, ClosedText(peer, *printer));
  printer->Results(Thread::kProgress, printer->era().closed_running);
}

void PrintPeerLostStarting(int peer, Printer* printer) {
  const std::string text = ClosedText(peer, *printer);
  printer->Warn(Thread::kMain, printer->era().closed_at, text);
  printer->Results(Thread::kMain, printer->era().closed_starting);
  PrintFailure("remote process exited or there was a network error", text, printer);
}

void PrintCompletionError(int peer, int status, Printer* printer) {
  const Job& job = printer->job();
  const Era& era = printer->era();
  const std::string from = fmt::format("{}<{}>", job.Address(job.HostOf(peer)), job.Port(peer, 3));
  const std::string_view name = status == 12 ? "IBV_WC_RETRY_EXC_ERR" : "IBV_WC_WR_FLUSH_ERR";
  const int vendor = status == 12 ? 129 : 249;
  std::string text;
  if (era.code < 22000) {
    text = fmt::format("NET/IB : Got completion from peer {} with error {}, opcode 129, len 0, vendor err {} (Recv)",
                       from, status, vendor);
  } else if (era.code < 22300) {
    text = fmt::format("NET/IB : Got completion from peer {} with status={} opcode=129 len=0 vendor err {} (Recv)",
                       from, status, vendor);
  } else if (era.code < 22800) {
    text = fmt::format(
        "NET/IB: Got completion from peer {} with status={} opcode=129 len=0 vendor err {} (Recv) hca mlx5_0", from,
        status, vendor);
  } else if (era.code < 22900) {
    text = fmt::format(
        "NET/IB: Got completion from peer {} with status={}({}) opcode=IBV_WC_RECV_RDMA_WITH_IMM(129) reqSize=0 "
        "vendor_err={} "
        "req_type=Recv hca mlx5_0",
        from, name, status, vendor);
  } else {
    text = fmt::format(
        "NET/IB: Got completion from peer {} with status={}({}) opcode=IBV_WC_RECV_RDMA_WITH_IMM(129) vendor_err={}  "
        "hca mlx5_0",
        from, name, status, vendor);
  }
  printer->Warn(Thread::kProgress, era.completion_at, text);
  printer->Results(Thread::kProgress, era.completion);
}

void PrintTimeoutAndAbort(Printer* printer) {
  printer->Plain("rank {}: step watchdog: no progress for 8 s", printer->rank());
  PrintAbort(printer);
}

void PrintAsyncErrorAndAbort(Printer* printer) {
  printer->Plain("rank {}: asynchronous error 6 'remote process exited or there was a network error'", printer->rank());
  PrintAbort(printer);
}

void PrintFailure(std::string_view error, std::string_view last, Printer* printer) {
  printer->Plain("{}: rank {}: failure app.cc:47 '{} / {}'", printer->host(), printer->rank(), error, last);
}

void PrintDestroy(Printer* printer) {
  for (Group group : GroupsOf(printer->job())) {
    // Sockets of a communicator that goes away: results of a normal end.
    printer->Results(Thread::kMain, printer->era().abort_main);
    PrintServiceClosed(printer);
    PrintEnd(group, "nranks", "Destroy COMPLETE", printer);
  }
  if (printer->era().code >= 22803 && ShowsDestroy(*printer))
    printer->Info("ENV/Plugin: Closing env plugin ncclEnvDefault");
}

}  // namespace ncclwhy::bench
