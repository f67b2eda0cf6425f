// Faults of one process while collectives run: it dies, raises, stalls, breaks its GPU. And no fault at all.
#include <algorithm>

#include "gen/ending.h"
#include "gen/fault.h"

namespace ncclwhy::bench {
namespace {

class Healthy : public Fault {
 public:
  using Fault::Fault;
  Label MakeLabel() const override { return {"none", {"benign"}, "", "", true}; }
  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    fate.storm = job().spec().warn_heavy;
    return fate;
  }
  // A WARN that is good news, or none of NCCL's business.
  void Storm(Printer* printer) const override {
    const int code = printer->era().code;
    printer->Warn(Thread::kAsync, printer->era().async_at,
                  code < 22000   ? "NET/IB : Got async event : client reregistration"
                  : code < 22300 ? "NET/IB : mlx5_0:1 Got async event : client reregistration"
                  : code < 22800 ? "NET/IB : mlx5_0:1 Got async error event: client reregistration"
                                 : "NET/IB : mlx5_0:1 Got non-fatal async event: client reregistration(17)");
  }
};

class Teardown : public Healthy {
 public:
  using Healthy::Healthy;
  void AtEnd(Printer* printer) const override {
    PrintDestroy(printer);
    if (printer->rank() % 4 == 0) {
      printer->Plain(
          "[rank{}]:[W1120 23:30:11.605287151 ProcessGroupNCCL.cpp:1538] Warning: WARNING: destroy_process_group() was "
          "not called before program exit, which can leak resources. For more info, please see "
          "https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())",
          printer->rank());
    }
  }
};

// One rank is gone; those connected with it over the network see it, all others wait in vain.
class RankGone : public Fault {
 public:
  explicit RankGone(const Job& job) : Fault(job), culprit_(CulpritRank()), peers_(job.NetPeers(culprit_)) {}

  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    fate.calls = rank == culprit_ ? steps() - std::min<uint64_t>(steps(), 1) : steps();
    fate.storm = Sees(rank);
    return fate;
  }
  void Storm(Printer* printer) const override { PrintPeerLost(culprit_, printer); }
  void AtEnd(Printer* printer) const override {
    if (printer->rank() == culprit_) {
      LastWords(printer);
    } else if (Sees(printer->rank())) {
      PrintAsyncErrorAndAbort(printer);
    } else {
      PrintTimeoutAndAbort(printer);
    }
  }

 protected:
  virtual void LastWords(Printer*) const {}
  bool Sees(int rank) const { return std::binary_search(peers_.begin(), peers_.end(), rank); }
  int culprit() const { return culprit_; }
  const std::vector<int>& peers() const { return peers_; }

 private:
  int culprit_;
  std::vector<int> peers_;
};

class Killed : public RankGone {
 public:
  using RankGone::RankGone;
  Label MakeLabel() const override {
    Label label{"app.rank-crashed", {"host.oom"}, RankOnHost(culprit()), "its log just ends", true};
    if (job().spec().verbosity == Verbosity::kWarn) label.also_acceptable.emplace_back("app.rank-stalled");
    return label;
  }
};

class Exception : public RankGone {
 public:
  using RankGone::RankGone;
  Label MakeLabel() const override { return {"app.rank-crashed", {}, RankOnHost(culprit()), "", true}; }

 protected:
  void LastWords(Printer* printer) const override {
    printer->Plain("Traceback (most recent call last):");
    printer->Plain("  File \"train.py\", line 88, in <module>");
    printer->Plain("    main()");
    printer->Plain("  File \"train.py\", line 61, in main");
    printer->Plain("    raise RuntimeError(f\"rank {{rank}}: loss is nan\")");
    printer->Plain("RuntimeError: rank {}: loss is nan", printer->rank());
  }
};

class IllegalAccess : public RankGone {
 public:
  using RankGone::RankGone;
  Label MakeLabel() const override { return {"gpu.illegal-access", {}, RankOnHost(culprit()), "", true}; }

 protected:
  void LastWords(Printer* printer) const override {
    const std::string_view text = printer->era().code >= 22403
                                      ? "Cuda failure 700 'an illegal memory access was encountered'"
                                      : "Cuda failure 'an illegal memory access was encountered'";
    printer->Warn(Thread::kMain, printer->era().illegal_at, text);
    printer->Results(Thread::kMain, printer->era().illegal);
    PrintFailure("unhandled cuda error (run with NCCL_DEBUG=INFO for details)", text, printer);
  }
};

// One rank does not come to a collective; the others give up, and only then it sees their sockets close.
class Stall : public Fault {
 public:
  explicit Stall(const Job& job) : Fault(job), culprit_(CulpritRank()), peers_(job.NetPeers(culprit_)) {}
  Label MakeLabel() const override {
    return {"app.rank-stalled", {"app.collective-mismatch"}, RankOnHost(culprit_), "", true};
  }
  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    if (rank == culprit_) {
      fate.calls = steps() - std::min<uint64_t>(steps(), 1);
      fate.storm = !peers_.empty();
    }
    return fate;
  }
  void Storm(Printer* printer) const override { PrintPeerLost(peers_.front(), printer); }
  void AtEnd(Printer* printer) const override {
    if (printer->rank() != culprit_) PrintTimeoutAndAbort(printer);
  }

 private:
  int culprit_;
  std::vector<int> peers_;
};

}  // namespace

std::vector<FaultKind> ProcessFaults() {
  return {
      {"none", "nothing fails; the logs end with the last collective", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<Healthy>(job); }},
      {"teardown", "nothing fails; every rank destroys its communicators, with the noise of that", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<Teardown>(job); }},
      {"killed", "one rank is killed", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<Killed>(job); }},
      {"exception", "one rank raises a Python exception", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<Exception>(job); }},
      {"illegal-access", "a kernel of one rank reads where it must not", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<IllegalAccess>(job); }},
      {"stall", "one rank does not come to a collective", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<Stall>(job); }},
  };
}

}  // namespace ncclwhy::bench
