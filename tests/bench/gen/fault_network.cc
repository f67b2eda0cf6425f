// Faults of the InfiniBand fabric at one host while collectives run.
#include <string>

#include "gen/ending.h"
#include "gen/fault.h"

namespace ncclwhy::bench {
namespace {

// Work between one host and all others fails: its neighbours report the host, it reports several neighbours.
class HostCutOff : public Fault {
 public:
  using Fault::Fault;
  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    fate.storm = Lost(rank) >= 0;
    return fate;
  }
  void Storm(Printer* printer) const override { PrintCompletionError(Lost(printer->rank()), 12, printer); }
  void AtEnd(Printer* printer) const override {
    const int peer = Lost(printer->rank());
    if (peer < 0) return PrintTimeoutAndAbort(printer);
    PrintCompletionError(peer, 5, printer);
    PrintAsyncErrorAndAbort(printer);
  }

 protected:
  bool Hit(int rank) const { return job().HostOf(rank) == CulpritHost(); }
  // The peer whose work fails as seen by `rank`, or -1.
  int Lost(int rank) const {
    for (int peer : job().NetPeers(rank)) {
      if (Hit(rank) != Hit(peer)) return peer;
    }
    return -1;
  }
};

class RetryExceeded : public HostCutOff {
 public:
  using HostCutOff::HostCutOff;
  Label MakeLabel() const override {
    const bool two = job().hosts() <= 2;  // with two hosts nobody can say which
    return {"ib.retry-exceeded",
            {"ib.link-down"},
            two ? "" : job().HostName(CulpritHost()),
            "the fabric drops everything from and to one host",
            true};
  }
};

class LinkDown : public HostCutOff {
 public:
  using HostCutOff::HostCutOff;
  Label MakeLabel() const override {
    return {"ib.link-down", {"ib.retry-exceeded"}, job().HostName(CulpritHost()), "", true};
  }
  Fate FateOf(int rank) const override {
    Fate fate = HostCutOff::FateOf(rank);
    if (Hit(rank)) fate.storm = true;
    return fate;
  }
  void Storm(Printer* printer) const override {
    if (!Hit(printer->rank())) return HostCutOff::Storm(printer);
    const int code = printer->era().code;
    printer->Warn(Thread::kAsync, printer->era().async_at,
                  code < 22000   ? "NET/IB : Got async event : port error"
                  : code < 22300 ? "NET/IB : mlx5_0:1 Got async event : port error"
                  : code < 22800 ? "NET/IB : mlx5_0:1 Got async error event: port error"
                                 : "NET/IB : mlx5_0:1 Got non-fatal async event: port error(10)");
  }
};

}  // namespace

std::vector<FaultKind> NetworkFaults() {
  return {
      {"ib-retry", "the fabric drops everything from and to one host", true,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<RetryExceeded>(job); }},
      {"ib-link-down", "the InfiniBand port of one host goes down", true,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<LinkDown>(job); }},
  };
}

}  // namespace ncclwhy::bench
