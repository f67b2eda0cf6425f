#include "parser/dialect.h"

#include <array>
#include <cstdint>

#include "parser/prefix.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

using scan::Contains;
using scan::StartsWith;

struct Mark {
  std::string_view text;
  Dialect dialect;
};

// Beginnings of lines.
constexpr Mark kHeads[] = {
    {"Traceback (most recent call last)", Dialect::kPython},
    {"  File \"", Dialect::kPython},
    {"Exception raised from ", Dialect::kTorch},
    {"frame #", Dialect::kTorch},
    {"terminate called after", Dialect::kTorch},
    {"Last error:", Dialect::kTorch},
    {"ncclUnhandledCudaError:", Dialect::kTorch},
    {"ncclSystemError:", Dialect::kTorch},
    {"ncclInternalError:", Dialect::kTorch},
    {"ncclInvalidArgument:", Dialect::kTorch},
    {"ncclInvalidUsage:", Dialect::kTorch},
    {"ncclRemoteError:", Dialect::kTorch},
    {"torch.distributed.", Dialect::kTorch},
    {"mpirun ", Dialect::kMpi},
    {"mpirun: ", Dialect::kMpi},
    {"mpiexec", Dialect::kMpi},
    {"prterun", Dialect::kMpi},
    {"prun", Dialect::kMpi},
    {"ORTE ", Dialect::kMpi},
    {"PRTE ", Dialect::kMpi},
    {"PMIX ", Dialect::kMpi},
    {"PMIx ", Dialect::kMpi},
    {"MPI_ABORT", Dialect::kMpi},
    {"MPIR_", Dialect::kMpi},
    {"MPID", Dialect::kMpi},
    {"Abort(", Dialect::kMpi},
    {"An MPI ", Dialect::kMpi},
    {"Primary job ", Dialect::kMpi},
    {"  Process name: [[", Dialect::kMpi},
    {"  Exit code: ", Dialect::kMpi},
    {"  Local host:", Dialect::kMpi},
    {"  Peer host:", Dialect::kMpi},
    {"srun: ", Dialect::kSlurm},
    {"slurmstepd: ", Dialect::kSlurm},
    {"slurmstepd-", Dialect::kSlurm},
    {"slurmd", Dialect::kSlurm},
    {"slurmctld", Dialect::kSlurm},
    {"sbatch: ", Dialect::kSlurm},
    {"salloc: ", Dialect::kSlurm},
    {"NVRM: ", Dialect::kKernel},
    {"Out of memory: Kill", Dialect::kKernel},
    {"Memory cgroup out of memory", Dialect::kKernel},
    {"oom-kill:", Dialect::kKernel},
    {"oom_reaper:", Dialect::kKernel},
    {"mlx5_core ", Dialect::kKernel},
    {"infiniband ", Dialect::kKernel},
    {"kernel: ", Dialect::kKernel},
    {"Back-off restarting", Dialect::kKubernetes},
    {"Error from server", Dialect::kKubernetes},
    {"kubelet", Dialect::kKubernetes},
    {"Warning  ", Dialect::kKubernetes},
    {"Normal  ", Dialect::kKubernetes},
    {"(raylet", Dialect::kFramework},
    {"ray.exceptions.", Dialect::kFramework},
    {"RayTaskError", Dialect::kFramework},
    {"DeepSpeed", Dialect::kFramework},
    {"Horovod", Dialect::kFramework},
    {"[HUGECTR]", Dialect::kFramework},
    {"[NeMo ", Dialect::kFramework},
};

// Anywhere in the line; the price of a search, so only words that nothing else says.
constexpr Mark kInside[] = {
    {"ProcessGroupNCCL", Dialect::kTorch},
    {"DistBackendError", Dialect::kTorch},
    {"torch.distributed.elastic", Dialect::kTorch},
    {"torch/distributed/elastic", Dialect::kTorch},
    {"*** Process received signal", Dialect::kMpi},
    {"UCX  ", Dialect::kMpi},
    {"NVRM: Xid", Dialect::kKernel},
    {"OOMKilled", Dialect::kKubernetes},
    {"FailedScheduling", Dialect::kKubernetes},
    {"CrashLoopBackOff", Dialect::kKubernetes},
    {" kubelet", Dialect::kKubernetes},
    {"segfault at ", Dialect::kKernel},
};

// Which beginnings of kInside, four bytes each, a text has anywhere. One look at the text instead of one for each word.
class InsideFilter {
 public:
  constexpr InsideFilter() {
    for (const Mark& m : kInside) {
      const uint32_t slot = SlotOf(Gram(m.text.data()));
      bits_[slot / 64] |= uint64_t{1} << (slot % 64);
    }
  }
  bool MayHoldOne(std::string_view text) const {
    for (size_t i = 0; i + 4 <= text.size(); ++i) {
      const uint32_t slot = SlotOf(Gram(text.data() + i));
      if ((bits_[slot / 64] >> (slot % 64) & 1) != 0) return true;
    }
    return false;
  }

 private:
  static constexpr int kBits = 12;
  static constexpr uint32_t Gram(const char* p) {
    const auto byte = [p](int i) { return static_cast<uint32_t>(static_cast<unsigned char>(p[i])); };
    return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  }
  static constexpr uint32_t SlotOf(uint32_t gram) { return (gram * 2654435761u) >> (32 - kBits); }

  std::array<uint64_t, (1 << kBits) / 64> bits_{};
};
constexpr InsideFilter kInsideFilter;

// I0917 19:46:00.202469 118211 file.cc:82] and 2022-10-13 04:16:09.849660: E path.cc:2130]
bool IsGlog(std::string_view text) {
  if (text.size() < 20) return false;
  if (std::string_view("IWEFC").find(text[0]) != std::string_view::npos && scan::DigitsAt(text, 1) == 4 &&
      text[5] == ' ') {
    return TimestampLength(text.substr(6), nullptr) > 0;
  }
  TimeForm form;
  const size_t n = TimestampLength(text, &form);
  return form == TimeForm::kDate && text.substr(n, 2) == ": " && n + 4 < text.size() && text[n + 3] == ' ';
}

}  // namespace

size_t PythonExceptionLength(std::string_view text) {
  size_t n = 0;
  size_t last = 0;  // start of the name behind the packages
  while (n < text.size() && n < 120 && (scan::IsIdentifierChar(text[n]) || text[n] == '.')) {
    if (text[n] == '.') last = n + 1;
    ++n;
  }
  if (n == 0 || (n < text.size() && text[n] != ':')) return 0;
  const std::string_view name = text.substr(last, n - last);
  if (name.empty() || !scan::IsUpper(name[0])) return 0;
  for (std::string_view suffix : {"Error", "Exception", "Interrupt", "SystemExit", "Failure", "Timeout"}) {
    if (scan::EndsWith(name, suffix) && (name != "Error" || last > 0)) return n;
  }
  return 0;
}

Dialect SniffDialect(std::string_view text) {
  if (text.size() < 4) return Dialect::kUnknown;
  if (text[0] == '[' && FindTorchRecord(text.substr(0, 200), 0) == 0) return Dialect::kTorch;
  for (const Mark& m : kHeads) {
    if (text[0] == m.text[0] && StartsWith(text, m.text)) return m.dialect;
  }
  if (text[0] == '[' && (Contains(text, "*** Process received signal") || Contains(text, "Caught signal"))) {
    return Dialect::kMpi;
  }
  if (kInsideFilter.MayHoldOne(text)) {
    for (const Mark& m : kInside) {
      if (Contains(text, m.text)) return m.dialect;
    }
  }
  if (PythonExceptionLength(text) > 0) return Dialect::kPython;
  if (IsGlog(text)) return Contains(text.substr(0, 120), "elastic") ? Dialect::kTorch : Dialect::kFramework;
  return Dialect::kUnknown;
}

}  // namespace ncclwhy
