#include "gen/startup.h"

#include <algorithm>
#include <string>

#include "gen/random.h"

namespace ncclwhy::bench {
namespace {

std::string_view NetName(const Job& job) { return job.spec().infiniband ? "IB" : "Socket"; }

std::string Address(const Printer& printer) { return printer.job().Address(printer.job().HostOf(printer.rank())); }

void PrintPlugins(Printer* printer) {
  const int code = printer->era().code;
  constexpr std::string_view kMissing = "libnccl-net.so: cannot open shared object file: No such file or directory";
  if (code < 22105) {
    printer->Info("NET/Plugin : dlerror={} No plugin found (libnccl-net.so), using internal implementation", kMissing);
  } else if (code < 22203) {
    printer->Info("NET/Plugin: No plugin found (libnccl-net.so)");
    printer->Info("NET/Plugin: Plugin load returned 2 : {} : when loading libnccl-net.so", kMissing);
    printer->Info("NET/Plugin: Using internal network plugin.");
  } else if (code < 22800) {
    printer->Info("NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.");
  } else {
    printer->Info("NET/Plugin: Could not find: libnccl-net.so");
  }
}

void PrintNetwork(Printer* printer) {
  const int code = printer->era().code;
  const bool ib = printer->job().spec().infiniband;
  if (ib) {
    printer->Info("NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:{}<0>", Address(*printer));
  } else {
    if (code < 22900) printer->Info("Failed to open libibverbs.so[.1]");
    if (code >= 22800 && code < 22900) printer->Info("transport/net_ib.cc:852 -> 3");
    if (code >= 22800) printer->Info("Failed to initialize NET plugin IB");
    printer->Info("NET/Socket : Using [0]eth0:{}<0>", Address(*printer));
  }
  if (code < 22203) printer->Info("Using non-device net plugin version 0");
  if (code >= 22703) {
    printer->Info("Initialized NET plugin {}", NetName(printer->job()));
    printer->Info("Assigned NET plugin {} to comm", NetName(printer->job()));
  }
  printer->Info("Using network {}", NetName(printer->job()));
}

// "ncclCommInitRank comm 0x… rank 3 nranks 4 cudaDev 1 nvmlDev 1 busId 20000 commId 0x… - Init START"
void PrintInit(Group group, std::string_view what, Printer* printer) {
  const Job& job = printer->job();
  const int code = printer->era().code, rank = printer->rank();
  const bool start = what == "START", split = group != Group::kWorld;
  std::string line;
  const int group_rank = job.GroupRank(rank, group);
  if (code >= 22902 && start && !split) line = fmt::format("[Rank {}] ", rank);
  if (code >= 22105) line += split ? "ncclCommSplit " : "ncclCommInitRank ";
  line += fmt::format("comm 0x{:x} rank {} nranks {} cudaDev {} nvmlDev {} busId {:x} ", job.CommPointer(rank, group),
                      group_rank, job.GroupSize(rank, group), printer->device(), printer->device(),
                      Job::BusId(printer->device()));
  if (split && code >= 22105) {
    const int color = group == Group::kTensor ? rank / job.spec().tensor : rank % job.spec().tensor;
    line += fmt::format("parent 0x{:x} ", job.CommPointer(rank, Group::kWorld));
    if (code >= 22902) line += fmt::format("childCount {} ", group == Group::kTensor ? 1 : 2);
    if (code >= 22403 && code < 22902) line += fmt::format("splitCount {} ", group == Group::kTensor ? 1 : 2);
    line += fmt::format("color {} key {}", color, rank);
    if (code < 22300) line += fmt::format(" commId 0x{:x} ", job.CommId(rank, group));
    // From 2.23 on there is no blank before the dash of START.
    if (code >= 22300 && !start) line += ' ';
  } else {
    line += fmt::format("commId 0x{:x} ", job.CommId(rank, group));
  }
  printer->Info("{}- Init {}", line, what);
}

void PrintTimings(Group group, Printer* printer) {
  if (printer->era().code < 22304) return;
  const Job& job = printer->job();
  const auto hundredths = 60 + Mix(job.spec().seed, static_cast<uint64_t>(printer->rank())) % 40;
  printer->Info(
      "Init timings - {}: rank {} nranks {} total {:.2f} (kernels 0.00, alloc 0.00, bootstrap 0.07, allgathers 0.01, "
      "topo 0.05, graphs 0.00, connections {:.2f}, rest 0.00)",
      group == Group::kWorld ? "ncclCommInitRank" : "ncclCommSplit", job.GroupRank(printer->rank(), group),
      job.GroupSize(printer->rank(), group), static_cast<double>(hundredths) / 100,
      static_cast<double>(hundredths - 13) / 100);
}

// Only rank 0 lists the rings; NCCL's buffer for the list ends at 1023 bytes, without a mark.
void PrintRings(Printer* printer) {
  const Job& job = printer->job();
  for (int channel = 0; channel < job.spec().channels; ++channel) {
    std::string line = fmt::format("Channel {:02}/{:02} :", channel, job.spec().channels);
    if (printer->era().code < 22403) line += ' ';
    int rank = 0;
    for (int i = 0; i < job.ranks() && line.size() < 980; ++i, rank = job.RingNext(rank, channel)) {
      line += printer->era().code < 22403 ? fmt::format("{:4}", rank) : fmt::format(" {}", rank);
    }
    printer->Info("{}", line);
  }
}

void PrintTrees(Printer* printer) {
  const Job& job = printer->job();
  std::string line = "Trees";
  for (int channel = 0; channel < job.spec().channels; ++channel) {
    const auto down = job.TreeDown(printer->rank(), channel);
    line += fmt::format(" [{}] {}/{}/{}->{}->{}", channel, down[0], down[1], down[2], printer->rank(),
                        job.TreeUp(printer->rank(), channel));
  }
  printer->Info("{}", line);
}

void PrintEdge(const Edge& edge, int connection, Printer* printer) {
  const Job& job = printer->job();
  const int rank = printer->rank(), code = printer->era().code;
  const int from = edge.sends ? rank : edge.peer, to = edge.sends ? edge.peer : rank;
  const std::string pair = fmt::format("{}[{}] -> {}[{}]", from, job.LocalOf(from), to, job.LocalOf(to));
  if (edge.net) {
    printer->Info("Channel {:02}/{} : {} [{}] via NET/{}/{}{}", edge.channel, connection, pair,
                  edge.sends ? "send" : "receive", NetName(job), job.spec().infiniband ? edge.channel % 2 : 0,
                  job.spec().infiniband ? "/GDRDMA" : "");
  } else if (job.spec().fault == "shm-full") {
    printer->Info("Channel {:02} : {} via SHM/direct{}", edge.channel, pair, code >= 23000 ? "" : "/direct");
  } else {
    printer->Info("Channel {:02}/{} : {} via P2P/IPC", edge.channel, connection, pair);
  }
}

// The proxy's and the allocator's talk around one connection, as SUBSYS=ALL shows it.
void PrintProxyTalk(uint64_t nth, Printer* printer) {
  if (!printer->Shows(Verbosity::kAll)) return;
  const uint64_t pointer = 0x7f0000000000 | (Mix(static_cast<uint64_t>(printer->rank()), nth) & 0xfffffff0ull);
  const bool newest = printer->era().code >= 23000;
  printer->InfoOf(Thread::kService, "New proxy {} connection {} from local rank {}, transport {}",
                  nth % 2 == 0 ? "recv" : "send", nth, printer->device(), nth % 3 == 0 ? 0 : 2);
  for (const char* operation : {"Init", "Setup", "Connect"}) {
    printer->InfoOf(Thread::kService, "proxyProgressAsync opId=0x{:x} op.type={} op.reqBuff=0x{:x} op.respSize={} done",
                    pointer, 1 + nth % 4, pointer + 0x4000, 16);
    printer->InfoOf(Thread::kService, "Received and initiated operation={} res=0", operation);
    printer->Info("ncclPollProxyResponse Received new opId=0x{:x}", pointer);
    printer->Info("resp.opId=0x{:x} matches expected opId=0x{:x}", pointer, pointer);
  }
  printer->Info("Connected to proxy {} {} -> connection 0x{:x}", newest ? "tpRank" : "localRank",
                newest ? printer->rank() : printer->device(), pointer + 0x8000);
  if (newest) {
    printer->InfoOf(Thread::kService,
                    "transport/net.cc:621 (sharedBuffersInit) Cuda Alloc Size 4194304 pointer 0x{:x} memType 0",
                    pointer);
  } else {
    printer->InfoOf(Thread::kService, "transport/net.cc:603 Cuda Alloc Size 4194304 pointer 0x{:x}", pointer);
  }
}

void PrintGraphTalk(Printer* printer) {
  if (!printer->Shows(Verbosity::kAll)) return;
  const int local_ranks = printer->job().RanksOn(printer->job().HostOf(printer->rank()));
  printer->Info("=== System : maxBw 12.0 totalBw 12.0 ===");
  printer->Info("CPU/0-0 (1/1/2)");
  printer->Info("+ PCI[5000.0] - NIC/0-0");
  printer->Info("                + NET[1.2] - NET/0-0 (0/0/1.250000)");
  for (int i = 0; i < local_ranks; ++i) {
    printer->Info("+ PCI[12.0] - GPU/0-{:x} ({})", Job::BusId(i), i);
  }
  printer->Info("==========================================");
  for (int channel = 0; channel < printer->job().spec().channels; ++channel) {
    printer->Info("Ring {:02} : {} -> {} -> {}", channel, printer->job().RingPrevious(printer->rank(), channel),
                  printer->rank(), printer->job().RingNext(printer->rank(), channel));
  }
}

}  // namespace

void PrintLoading(Printer* printer) {
  const Era& era = printer->era();
  const bool brief = printer->job().spec().brief;
  if (era.code >= 22803 && !brief) printer->Info("ENV/Plugin: Could not find: libnccl-env.so");
  if (era.code >= 22403) {
    printer->Info("Bootstrap: Using eth0:{}<0>", Address(*printer));
  } else {
    printer->Info("Bootstrap : Using eth0:{}<0>", Address(*printer));
    if (!brief) PrintPlugins(printer);
  }
  printer->Info("cudaDriverVersion {}", era.driver);
  if (era.version_line() && printer->Shows(Verbosity::kInit)) {
    printer->Info("NCCL version {}+cuda{}", era.version, era.cuda);
    if (era.code >= 22902 && !brief) printer->Info("NCCL git version heads/master 4f2e1ab");
  } else if (printer->rank() == 0) {
    printer->Plain("NCCL version {}+cuda{}", era.version, era.cuda);
  }
  if (era.code >= 22403 && !brief) PrintPlugins(printer);
  PrintNetwork(printer);
  if (era.start_before_bootstrap()) PrintInit(Group::kWorld, "START", printer);
}

Place PlaceOf(const Job& job, int rank) { return {job.hosts(), job.RanksOn(job.HostOf(rank)), job.LocalOf(rank)}; }

void PrintMeeting(Printer* printer) {
  if (!printer->era().start_before_bootstrap()) PrintInit(Group::kWorld, "START", printer);
}

void PrintTopology(const Place& place, Printer* printer) {
  const Era& era = printer->era();
  const bool brief = printer->job().spec().brief;
  if (!brief) {
    if (era.code >= 23007)
      printer->Info("proxy listening socket at {}<{}>", Address(*printer), printer->job().Port(printer->rank(), 9));
    if (era.code >= 22403) {
      printer->Info("RAS client listening socket at 127.0.0.1<28028>");
      printer->Info(
          "Bootstrap timings total 0.0{} (create 0.000023, send 0.001132, recv 0.001663, ring 0.058135, delay "
          "0.000000)",
          61000 + Mix(7, static_cast<uint64_t>(printer->rank())) % 9000);
    }
    PrintGraphTalk(printer);
    if (era.code < 22800) printer->Info("Setting affinity for GPU {} to ffffffff,00000000", printer->device());
    printer->Info("NVLS multicast support is not available on dev {}{}", printer->device(),
                  era.code >= 22803 && era.code < 23000 ? " (NVLS_NCHANNELS 0)" : "");
  }
  if (era.code >= 22003) {
    printer->Info("comm 0x{:x} rank {} nRanks {} nNodes {} localRanks {} localRank {} MNNVL 0",
                  printer->job().CommPointer(printer->rank(), Group::kWorld), printer->rank(), printer->job().ranks(),
                  place.nodes, place.local_ranks, place.local_rank);
  }
  if (printer->rank() == 0) PrintRings(printer);
  if (brief) return;
  PrintTrees(printer);
  printer->Info("P2P Chunksize set to 131072");
  if (era.code >= 22403) {
    printer->Info("PROFILER/Plugin: Could not find: libnccl-profiler.so{}", era.code < 22800 ? "." : "");
    printer->Info("{}", era.code < 22800 ? "Check P2P Type intraNodeP2pSupport 1 directMode 0"
                                         : "Check P2P Type isAllDirectP2p 1 directMode 0 isAllCudaP2p 1");
    printer->InfoOf(Thread::kService, "[Proxy Service] Device {} CPU core {}", printer->device(), printer->rank() % 96);
    printer->InfoOf(Thread::kUds, "[Proxy Service UDS] Device {} CPU core {}", printer->device(),
                    (printer->rank() + 5) % 96);
    printer->InfoOf(Thread::kProgress, "[Proxy Progress] Device {} CPU core {}", printer->device(),
                    (printer->rank() + 9) % 96);
  }
}

void PrintConnections(Printer* printer) {
  const Job& job = printer->job();
  const Era& era = printer->era();
  uint64_t nth = 0;
  if (!job.spec().brief) {
    for (const Edge& edge : job.RingEdges(printer->rank())) {
      PrintProxyTalk(nth++, printer);
      PrintEdge(edge, 0, printer);
    }
  }
  printer->Info("Connected all rings{}", era.code >= 22403 ? ", use ring PXN 0 GDR 0" : "");
  if (!job.spec().brief) {
    for (const Edge& edge : job.TreeEdges(printer->rank())) {
      PrintProxyTalk(nth++, printer);
      PrintEdge(edge, 0, printer);
    }
  }
  printer->Info("Connected all trees");
  if (!job.spec().brief) {
    const int c = job.spec().channels;
    if (era.code >= 22803) printer->Info("TUNER/Plugin: Could not find: libnccl-tuner.so");
    printer->Info("threadThresholds 8/8/64 | {}/8/64 | 512 | 512", 8 * job.ranks());
    if (era.code < 22105) {
      printer->Info("{} coll channels, 0 nvls channels, {} p2p channels, {} p2p channels per peer", c, c, c);
    } else {
      printer->Info("{} coll channels, {} collnet channels, 0 nvls channels, {} p2p channels, {} p2p channels per peer",
                    c, c, c, c);
    }
    if (era.code >= 22403 && printer->rank() == 0) printer->Info("CC Off, workFifoBytes 1048576");
    if (era.code >= 22105 && era.code < 22203) printer->Info("TUNER/Plugin: Using internal tuner plugin.");
    if (era.code >= 22403 && era.code < 22800) {
      printer->Info("TUNER/Plugin: Could not find: libnccl-tuner.so. Using internal tuner plugin.");
    }
  }
  PrintInit(Group::kWorld, "COMPLETE", printer);
  PrintTimings(Group::kWorld, printer);
}

void PrintSplits(Printer* printer) {
  const Job& job = printer->job();
  if (!job.HasGroups()) return;
  for (Group group : {Group::kTensor, Group::kData}) {
    const int size = job.GroupSize(printer->rank(), group), rank = job.GroupRank(printer->rank(), group);
    PrintInit(group, "START", printer);
    if (printer->era().code >= 22003) {
      const int local =
          std::min(size, group == Group::kTensor ? job.per_host() : std::max(1, job.per_host() / job.spec().tensor));
      printer->Info("comm 0x{:x} rank {} nRanks {} nNodes {} localRanks {} localRank {} MNNVL 0",
                    job.CommPointer(printer->rank(), group), rank, size, (size + local - 1) / local, local,
                    rank % local);
    }
    PrintInit(group, "COMPLETE", printer);
    PrintTimings(group, printer);
  }
}

void PrintPeerChatter(uint64_t step, Printer* printer) {
  const Job& job = printer->job();
  if (job.ranks() < 2) return;
  const auto ranks = static_cast<uint64_t>(job.ranks());
  const auto self = static_cast<uint64_t>(printer->rank());
  const int to = static_cast<int>((self + 1 + step % (ranks - 1)) % ranks);
  const int from = static_cast<int>((self + ranks - 1 - step % (ranks - 1)) % ranks);
  const int connection = 1;
  for (int channel = 0; channel < job.spec().channels; ++channel) {
    const bool far_from = job.HostOf(from) != job.HostOf(printer->rank());
    if (far_from) PrintEdge({channel, from, false, true}, connection, printer);
    PrintEdge({channel, to, true, job.HostOf(to) != job.HostOf(printer->rank())}, connection, printer);
  }
}

}  // namespace ncclwhy::bench
