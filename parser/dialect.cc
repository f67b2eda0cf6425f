#include "parser/dialect.h"

#include <array>
#include <bit>
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
    {"prun: ", Dialect::kMpi},
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

constexpr std::string_view WithoutBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Which of kHeads begin with a byte, a bit each.
// Built at compile time. Without it each line would be compared with all heads, of which nearly none begins with its
// first byte.
struct HeadsByByte {
  std::array<uint64_t, 256> heads{};
  std::array<uint64_t, 256> inside{};  // without blanks around them; where a line is glued to the one before
  constexpr HeadsByByte() {
    static_assert(std::size(kHeads) <= 64);
    for (size_t i = 0; i < std::size(kHeads); ++i) {
      heads[static_cast<unsigned char>(kHeads[i].text[0])] |= uint64_t{1} << i;
      // A program's bare name stands in mid-sentence, too.
      const std::string_view head = WithoutBlanks(kHeads[i].text);
      // `Horovod` and `kubelet` are such names; `slurmstepd: ` and `frame #` are not, nobody writes them but who says
      // so.
      if (head.find_first_of(" :#([\"") == std::string_view::npos) continue;
      inside[static_cast<unsigned char>(head[0])] |= uint64_t{1} << i;
    }
  }
};
constexpr HeadsByByte kByByte;

// Anywhere in the line.
struct InnerMark {
  TellingWord word;
  Dialect dialect;
};
constexpr InnerMark kInside[] = {
    {TellingWord::kProcessGroup, Dialect::kTorch},
    {TellingWord::kBackendError, Dialect::kTorch},
    {TellingWord::kElasticModule, Dialect::kTorch},
    {TellingWord::kElasticPath, Dialect::kTorch},
    {TellingWord::kSignal, Dialect::kMpi},
    {TellingWord::kUcx, Dialect::kMpi},
    {TellingWord::kXid, Dialect::kKernel},
    {TellingWord::kOomKilled, Dialect::kKubernetes},
    {TellingWord::kScheduling, Dialect::kKubernetes},
    {TellingWord::kCrashLoop, Dialect::kKubernetes},
    {TellingWord::kKubelet, Dialect::kKubernetes},
    {TellingWord::kSegfault, Dialect::kKernel},
};

// Logs of glog and abseil, and of TensorFlow, which no dialect of its own has: level, month and day, clock, thread.
// I0917 19:46:00.202469 118211 file.cc:82] and 2022-10-13 04:16:09.849660: E path.cc:2130]
bool IsGlog(std::string_view text) {
  if (text.size() < 20) return false;
  // `I0917 `: four digits behind the letter, the fifth place is blank. `I2 = 3` is none.
  if (scan::IsAnyOf(text[0], "IWEFC") && scan::DigitsAt(text, 1) == 4 && text[5] == ' ') {
    return TimestampLength(text.substr(6), nullptr) > 0;
  }
  TimeForm form;
  const size_t n = TimestampLength(text, &form);
  // The letter of the level stands alone behind the colon: `: E path.cc:2130]`.
  return form == TimeForm::kDate && text.substr(n, 2) == ": " && n + 4 < text.size() && text[n + 3] == ' ';
}

}  // namespace

// `torch.OutOfMemoryError: CUDA out of memory.` → 22. The name must end as classes of exceptions do: "Note: …" is none.
// "Error:" alone is anybody's.
size_t PythonExceptionLength(std::string_view text) {
  // Most lines begin with a word behind which no colon stands.
  const size_t name_size = scan::NameSize(text);
  if (name_size < text.size() && text[name_size] != ':') return 0;
  size_t n = 0;
  size_t last = 0;  // start of the name behind the packages
  while (n < text.size() && n < 120 && (scan::IsIdentifierChar(text[n]) || text[n] == '.')) {
    if (text[n] == '.') last = n + 1;
    // 120 bytes: longer than any module with its class, and a bound for lines that are one long word.
    ++n;
  }
  if (n == 0 || (n < text.size() && text[n] != ':')) return 0;
  const std::string_view name = text.substr(last, n - last);
  if (name.empty() || !scan::IsUpper(name[0])) return 0;
  for (std::string_view suffix : {"Error", "Exception", "Interrupt", "SystemExit", "Failure", "Timeout"}) {
    // `Error: cannot open …` is anybody's; `urllib3.Error` is a class of a package.
    if (scan::EndsWith(name, suffix) && (name != "Error" || last > 0)) return n;
  }
  return 0;
}

// For a text that begins within a line, behind another one: only heads that no sentence has.
size_t DialectHeadLength(std::string_view text) {
  if (text.empty()) return 0;
  for (uint64_t heads = kByByte.inside[static_cast<unsigned char>(text[0])]; heads != 0; heads &= heads - 1) {
    const std::string_view head = WithoutBlanks(kHeads[static_cast<size_t>(std::countr_zero(heads))].text);
    if (StartsWith(text, head)) return head.size();
  }
  return 0;
}

// What costs least comes first. A head says more than a word anywhere in the line.
Dialect SniffDialect(std::string_view text, TellingWords words) {
  if (text.size() < 4) return Dialect::kUnknown;
  if (text[0] == '[' && FindTorchRecord(text.substr(0, 200), 0) == 0) return Dialect::kTorch;
  for (uint64_t heads = kByByte.heads[static_cast<unsigned char>(text[0])]; heads != 0; heads &= heads - 1) {
    const Mark& m = kHeads[static_cast<size_t>(std::countr_zero(heads))];
    if (StartsWith(text, m.text)) return m.dialect;
  }
  // `[node07:4711] *** Process received signal ***`, printed by Open MPI or by UCX, which catch signals for the
  // program.
  if (text[0] == '[' && (words.Has(TellingWord::kSignal) || words.Has(TellingWord::kCaughtSignal))) {
    return Dialect::kMpi;
  }
  if (words.Any()) {
    for (const InnerMark& m : kInside) {
      if (words.Has(m.word)) return m.dialect;
    }
  }
  if (PythonExceptionLength(text) > 0) return Dialect::kPython;
  // torchelastic's agent logs in that form as well. 120 bytes reach its path and not a text that only speaks of it.
  if (IsGlog(text)) return Contains(text.substr(0, 120), "elastic") ? Dialect::kTorch : Dialect::kFramework;
  return Dialect::kUnknown;
}

}  // namespace ncclwhy
