// Faults of one rank, or of the set-up, while communicators form: the others wait.
#include <string>

#include "gen/ending.h"
#include "gen/fault.h"

namespace ncclwhy::bench {
namespace {

// "Connection refused, retrying" in the wording of the version, as ranks print it that wait for a dead one.
void PrintRefused(int peer, int attempts, Printer* printer) {
  const Job& job = printer->job();
  for (int i = 1; i <= attempts; ++i) {
    if (printer->era().code < 22403) {
      printer->Info("Call to connect returned Connection refused, retrying");
    } else if (printer->era().code < 22703) {
      printer->Info("socketPollConnect: connect returned Connection refused, retrying ({}/34) after sleep for {} msec",
                    i, 100 * i);
    } else {
      printer->Info("{}: connect to {}<{}> returned Connection refused, retrying ({}/34) after sleep for {} msec",
                    printer->era().code < 22900 ? "socketPollConnect" : "ncclOsSocketPollConnect",
                    job.Address(job.HostOf(peer)), job.Port(peer, 2), i, 100 * i);
    }
  }
}

class RankAbsent : public Fault {
 public:
  using Fault::Fault;
  Label MakeLabel() const override {
    // Up to 2.22 no line of a rank that waits for the others says which rank it is: the file's name or the launcher
    // must.
    const Spec& spec = job().spec();
    const bool ranks_known =
        job().era().start_before_bootstrap() || spec.layout == Layout::kRank || spec.launcher != Launcher::kNone;
    return {"boot.rank-missing", {}, RankOnHost(CulpritRank()), "no log at all from the missing rank", ranks_known};
  }
  Fate FateOf(int rank) const override {
    Fate fate;
    fate.reaches = rank == CulpritRank() ? Stage::kAbsent : Stage::kLoaded;
    return fate;
  }
};

class OutOfMemory : public Fault {
 public:
  using Fault::Fault;
  Label MakeLabel() const override { return {"gpu.oom", {}, RankOnHost(CulpritRank()), "", true}; }
  Fate FateOf(int) const override {
    Fate fate;
    fate.reaches = Stage::kTopology;
    return fate;
  }
  void AtEnd(Printer* printer) const override {
    const int culprit = CulpritRank(), rank = printer->rank();
    const Era& era = printer->era();
    if (rank == culprit) {
      printer->Warn(Thread::kMain, era.oom_at, "Cuda failure 'out of memory'");
      printer->Warn(Thread::kMain, era.calloc_at, "Failed to CUDA calloc async 2432 bytes");
      printer->Results(Thread::kMain, era.oom);
      PrintFailure("unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
                   "Failed to CUDA calloc async 2432 bytes", printer);
    } else if (rank == job().RingNext(culprit, 0) || rank == job().RingPrevious(culprit, 0)) {
      PrintRefused(culprit, 20, printer);
    }
  }
};

// Two ranks of one host on the same device.
class DuplicateGpu : public Fault {
 public:
  using Fault::Fault;
  Label MakeLabel() const override {
    return {"gpu.duplicate", {"gpu.device-not-set"}, job().HostName(CulpritHost()), "", true};
  }
  Fate FateOf(int rank) const override {
    Fate fate;
    fate.reaches = Stage::kMet;
    if (rank == Second()) fate.device = 0;
    return fate;
  }
  void AtEnd(Printer* printer) const override {
    const int rank = printer->rank();
    if (rank != First() && rank != Second()) {
      if (rank == job().RingNext(Second(), 0)) PrintPeerLostStarting(Second(), printer);
      return;
    }
    const int other = rank == First() ? Second() : First();
    const std::string text =
        fmt::format(fmt::runtime(printer->era().duplicate_text), rank, other, fmt::format("{:x}", Job::BusId(0)));
    printer->Warn(Thread::kMain, printer->era().duplicate_at, text);
    printer->Results(Thread::kMain, printer->era().duplicate);
    PrintFailure("invalid usage (run with NCCL_DEBUG=WARN for details)", text, printer);
  }

 private:
  int First() const { return CulpritHost() * job().per_host(); }
  int Second() const { return First() + (job().RanksOn(CulpritHost()) > 1 ? 1 : 0); }
};

// NCCL_SHM_DISABLE on one rank. From 2.28 on it takes its host apart and initialisation never ends; before, it is
// harmless.
class EnvironmentDiffers : public Fault {
 public:
  using Fault::Fault;
  Label MakeLabel() const override {
    if (Harmless()) {
      return {"none",
              {"benign", "env.differs-across-ranks", "net.transport-mismatch"},
              "",
              "injected env.differs-across-ranks without effect on the job",
              true};
    }
    return {"env.differs-across-ranks",
            {"net.transport-mismatch"},
            RankOnHost(CulpritRank()),
            "",
            job().spec().verbosity >= Verbosity::kInit};
  }
  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    if (Harmless()) return fate;
    fate.reaches = Stage::kTopology;
    fate.place = PlaceOf(job(), rank);
    ++fate.place.nodes;
    const int culprit = CulpritRank();
    if (rank == culprit) {
      fate.place.local_ranks = 1;
      fate.place.local_rank = 0;
    } else if (job().HostOf(rank) == job().HostOf(culprit)) {
      --fate.place.local_ranks;
      if (rank > culprit) --fate.place.local_rank;
    }
    return fate;
  }
  void OnLoaded(Printer* printer) const override {
    if (printer->rank() == CulpritRank()) printer->Info("NCCL_SHM_DISABLE set by environment to 1.");
  }
  void AtEnd(Printer* printer) const override {
    if (Harmless() || job().hosts() < 2) return;
    const int host = (job().HostOf(CulpritRank()) + 1) % job().hosts();
    const int last = host * job().per_host() + job().RanksOn(host) - 1;
    if (printer->rank() == last) PrintPeerLostStarting(job().RingNext(last, 0), printer);
  }

 private:
  bool Harmless() const { return job().era().code < 22800; }
};

}  // namespace

std::vector<FaultKind> StartupFaults() {
  return {
      {"rank-absent", "one rank was never started and left no log", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<RankAbsent>(job); }},
      {"gpu-oom", "the GPU of one rank is full", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<OutOfMemory>(job); }},
      {"duplicate-gpu", "two ranks of one host use the same GPU", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<DuplicateGpu>(job); }},
      {"shm-disabled-on-one", "NCCL_SHM_DISABLE is set on one rank", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<EnvironmentDiffers>(job); }},
  };
}

}  // namespace ncclwhy::bench
