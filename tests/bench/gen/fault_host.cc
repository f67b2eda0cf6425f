// Faults of one host while communicators form: /dev/shm, interface, route, library.
#include <array>
#include <string>

#include "gen/ending.h"
#include "gen/fault.h"
#include "gen/random.h"

namespace ncclwhy::bench {
namespace {

class HostFault : public Fault {
 public:
  using Fault::Fault;

 protected:
  bool Hit(int rank) const { return job().HostOf(rank) == CulpritHost(); }
  std::string HostLabel() const { return job().HostName(CulpritHost()); }
};

class SharedMemoryFull : public HostFault {
 public:
  using HostFault::HostFault;
  Label MakeLabel() const override { return {"shm.too-small", {}, HostLabel(), "", true}; }
  Fate FateOf(int) const override {
    Fate fate;
    fate.reaches = Stage::kTopology;
    return fate;
  }
  void AtEnd(Printer* printer) const override {
    const int rank = printer->rank();
    if (!Hit(rank)) {
      for (int peer : job().NetPeers(rank)) {
        if (Hit(peer)) return PrintPeerLostStarting(peer, printer);
      }
      return;
    }
    const Era& era = printer->era();
    const std::string_view reason = era.code >= 22203 ? ", error: No space left on device (28)" : "";
    const std::string path = "/dev/shm/nccl-" + RandomName(rank);
    const std::string segment =
        fmt::format("Error while creating shared memory segment {} (size 9637888){}", path, reason);
    printer->Warn(Thread::kService, era.extend_at,
                  fmt::format("Error: failed to extend {} to 9637892 bytes{}", path, reason));
    printer->Warn(Thread::kService, era.segment_at, segment);
    printer->Results(Thread::kService, era.segment_service);
    printer->Results(Thread::kMain, era.segment_main);
    PrintFailure("unhandled system error (run with NCCL_DEBUG=INFO for details)", segment, printer);
  }

 private:
  std::string RandomName(int rank) const {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    Random random(Mix(job().spec().seed + 20, static_cast<uint64_t>(rank)));
    std::string name;
    for (int i = 0; i < 6; ++i) name += kLetters[random.Below(kLetters.size())];
    return name;
  }
};

class InterfaceMissing : public HostFault {
 public:
  using HostFault::HostFault;
  Label MakeLabel() const override { return {"net.interface-missing", {}, HostLabel(), "", true}; }
  Fate FateOf(int rank) const override {
    Fate fate;
    fate.reaches = Hit(rank) ? Stage::kNothing : Stage::kLoaded;
    return fate;
  }
  void AtEnd(Printer* printer) const override {
    if (!Hit(printer->rank())) return;
    const Era& era = printer->era();
    constexpr std::string_view kText = "Bootstrap : no socket interface found";
    if (era.code >= 22803) printer->Info("ENV/Plugin: Could not find: libnccl-env.so");
    printer->Info("cudaDriverVersion {}", era.driver);
    printer->Info("NCCL_SOCKET_IFNAME set by environment to ib0");
    printer->Warn(Thread::kMain, era.no_interface_at, kText);
    printer->Results(Thread::kMain, era.no_interface);
    PrintFailure(era.code >= 22300 ? "invalid usage (run with NCCL_DEBUG=WARN for details)"
                                   : "internal error - please report this issue to the NCCL developers",
                 kText, printer);
    if (era.code >= 22803 && era.code < 23003) printer->Info("ENV/Plugin: Closing env plugin ncclEnvDefault");
  }
};

class Unreachable : public HostFault {
 public:
  using HostFault::HostFault;
  Label MakeLabel() const override {
    // From 2.24 on NCCL retries at INFO for a minute and is stopped before it warns.
    const bool shown = job().era().code < 22403 || job().spec().verbosity >= Verbosity::kInit;
    return {"net.unreachable", {}, HostLabel(), "", shown};
  }
  Fate FateOf(int) const override {
    Fate fate;
    fate.reaches = Stage::kLoaded;
    return fate;
  }
  void AtEnd(Printer* printer) const override {
    if (!Hit(printer->rank())) return;
    const Era& era = printer->era();
    const std::string root = fmt::format("{}<{}>", job().Address(0), job().Port(0, 1));
    if (era.code < 22403) {
      const std::string text = fmt::format("socketStartConnect: Connect to {} failed : No route to host", root);
      printer->Warn(Thread::kMain, era.connect_at, text);
      printer->Results(Thread::kMain, era.connect);
      PrintFailure("unhandled system error (run with NCCL_DEBUG=INFO for details)", text, printer);
      return;
    }
    for (int i = 1; i <= 30; ++i) {
      const std::string to = era.code >= 22703 ? " to " + root : "";
      printer->Info("{}: connect{} returned No route to host, retrying ({}/34) after sleep for {} msec",
                    era.code < 22900 ? "socketStartConnect" : "ncclOsSocketStartConnect", to, i, 100 * i);
    }
  }
};

// The library of one host is of another version: the root of the bootstrap cannot read what it sends.
class VersionDiffers : public HostFault {
 public:
  using HostFault::HostFault;
  Label MakeLabel() const override {
    return {"version.nccl-mismatch",
            {},
            HostLabel(),
            fmt::format("{} runs {}", HostLabel(), job().era().other_version()),
            true};
  }
  Fate FateOf(int rank) const override {
    Fate fate;
    fate.reaches = Stage::kLoaded;
    if (Hit(rank)) fate.era = FindEra(job().era().other_version());
    return fate;
  }
  void AtEnd(Printer* printer) const override {
    const int rank = printer->rank();
    const Era& era = printer->era();
    if (rank == 0) {
      if (era.code < 22300) {
        printer->Warn(Thread::kRoot, era.version_at, "Message truncated : received 172 bytes instead of 64");
        printer->Results(Thread::kRoot, era.version_trace);
      } else {
        std::string text = fmt::format(
            "Bootstrap Root : mismatch in info from procs, nranks {0} vs {0}, nroots 1 vs 184569098, iroot 0 vs "
            "-175177726",
            job().ranks());
        if (era.code >= 22902) text += ", offset 0 vs 538976288";
        printer->Warn(Thread::kRoot, era.version_at, text);
      }
    } else if (!Hit(rank) && rank % 7 == 1 && era.code < 22300) {
      const std::string text =
          fmt::format("socketStartConnect: Connect to {}<{}> failed : Software caused connection abort",
                      job().Address(0), job().Port(0, 1));
      printer->Warn(Thread::kMain, era.connect_at, text);
      printer->Results(Thread::kMain, era.connect);
      PrintFailure("unhandled system error (run with NCCL_DEBUG=INFO for details)", text, printer);
    }
  }
};

}  // namespace

std::vector<FaultKind> HostFaults() {
  return {
      {"shm-full", "/dev/shm of one host is full", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<SharedMemoryFull>(job); }},
      {"interface-missing", "one host has no interface of the name that NCCL_SOCKET_IFNAME says", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<InterfaceMissing>(job); }},
      {"unreachable", "one host has no route to the root of the bootstrap", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<Unreachable>(job); }},
      {"version-differs", "the NCCL library of one host is of another version", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<VersionDiffers>(job); }},
  };
}

}  // namespace ncclwhy::bench
