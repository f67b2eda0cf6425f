// Programs print at their start who is where, each in its own words: the rank, and with it a host, a pid, an address or
// the GPU. Only the first lines of a source are asked.
//   initialized host gpu-a17 as rank 4 pid 192078            host=gpu-a17 world=29 local=5/6 gpu=5
//   seg: rank 8 size 16 local_rank 0 host r07
//   process 5/8 on gpu-a17 local_devices=4 ip 10.0.3.16      rank 4/8 on lsfgpu04      rank=12 local_rank=4 device=GPU-faa31e25-02b0-…
//   task [xgboost.dask-5]:tcp://10.0.3.19:40905 got new rank 5
//   Launching process for local_rank(5), global_rank(13) with pid(3113)
//   #  Rank  4 Group  0 Pid  32312 on    gpu-a17 device  0 [0x10] NVIDIA H100 80GB HBM3
//   (WorkerDict pid=31004) [reward] rank 3 sandbox: …        5125 RANK=5, of /proc/PID/environ        79->41177 (rank 10)
// And which address a GPU has: NVRM: GPU at PCI:0000:9d:00: GPU-faa31e25-02b0-…
#include <algorithm>
#include <array>

#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::Cursor;
using scan::IsAlnum;
using scan::IsDigit;

constexpr uint32_t kFirstLines = 4000;
constexpr size_t kLongest = 400;

// The number behind `at`, with marks between: `rank=4`, `rank(4)`, `rank 4`; -1 where there is none, or a range.
int64_t NumberAt(std::string_view text, size_t at) {
  constexpr size_t kMarks = 2;
  size_t begin = at;
  while (begin < text.size() && begin < at + kMarks && std::string_view(" =:(").find(text[begin]) != std::string::npos)
    ++begin;
  const size_t digits = scan::DigitsAt(text, begin);
  if (digits == 0 || digits > 7 || (begin == at && at > 0 && IsAlnum(text[at - 1]))) return -1;
  const size_t end = begin + digits;
  const int64_t number = scan::IntOr(text.substr(begin, digits), -1);
  if (end == text.size()) return number;
  // `rank 4/8 on lsfgpu04` counts the ranks.
  if (text[end] == '/') {
    uint64_t size = 0;
    const bool counts = Cursor(text.substr(end + 1)).Uint(&size) && static_cast<uint64_t>(number) < size;
    return counts ? number : -1;
  }
  return IsAlnum(text[end]) || text[end] == '-' ? -1 : number;
}

// -1: none, or several.
int64_t RankIn(std::string_view text) {
  int64_t found = -1;
  const auto note = [&found](int64_t rank) {
    if (rank < 0) return true;
    const bool same = found < 0 || found == rank;
    found = rank;
    return same;
  };
  for (const std::string_view word : {"rank", "Rank", "RANK"}) {
    for (size_t at = scan::Find(text, word); at != std::string_view::npos; at = scan::Find(text, word, at + 4)) {
      size_t begin = at;
      while (begin > 0 && (IsAlnum(text[begin - 1]) || text[begin - 1] == '_')) --begin;
      const std::string_view of = text.substr(begin, at - begin);
      if (!of.empty() && of != "global_" && of != "world_" && of != "GLOBAL_" && of != "WORLD_") continue;
      const std::string_view front = text.substr(0, begin);
      if (scan::EndsWith(front, "local ") || scan::EndsWith(front, "node ")) continue;
      if (!note(NumberAt(text, at + word.size()))) return -1;
    }
  }
  if (const size_t at = scan::Find(text, "world="); at != std::string_view::npos && found < 0) {
    if (at == 0 || !IsAlnum(text[at - 1])) note(NumberAt(text, at + 5));
  }
  if (const std::string_view of = scan::After(text, "process "); !of.empty() && found < 0) {
    Cursor c(of);  // process 5/8 on
    uint64_t rank = 0;
    uint64_t size = 0;
    if (c.Uint(&rank) && c.Char('/') && c.Uint(&size) && rank < size && c.Char(' ')) found = static_cast<int64_t>(rank);
  }
  return found;
}

// Somebody else's, of whom the line speaks: waiting for rank 3.
bool SpeaksOfAnother(std::string_view text) {
  constexpr std::string_view kOther[] = {"for rank", "from rank", "to rank", "with rank", "of rank", "by rank", "peer"};
  return std::any_of(std::begin(kOther), std::end(kOther),
                     [&](std::string_view word) { return scan::Find(text, word) != std::string_view::npos; });
}

// The number that ends right in front of `at`; -1 where there is none of three digits at least, as pids have.
int64_t PidBefore(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  const bool alone = begin == 0 || (!IsAlnum(text[begin - 1]) && text[begin - 1] != '.');
  return at - begin >= 3 && at - begin <= 7 && alone ? scan::IntOr(text.substr(begin, at - begin), -1) : -1;
}

void NoteProcess(const Extraction& x, int64_t pid, int64_t rank) {
  x.Begin(EventKind::kRollCall).Set(FieldId::kRank, rank).Set(FieldId::kPid, pid);
}

// Pids with the rank behind each, as somebody lists them: `77->41175 (rank 8) 78->41176 (rank 9)`, `5125 RANK=5`.
bool ExtractList(const Extraction& x) {
  bool any = false;
  const std::string_view text = x.body();
  for (const std::string_view word : {" (rank ", " RANK="}) {
    for (size_t at = scan::Find(text, word); at != std::string_view::npos; at = scan::Find(text, word, at + 1)) {
      const int64_t pid = PidBefore(text, at);
      const int64_t rank = NumberAt(text, at + word.size());
      if (pid < 0 || rank < 0) continue;
      NoteProcess(x, pid, rank);
      any = true;
    }
  }
  return any;
}

// A name with a number in it, or one with a hyphen that the sentence ends with where it counts ranks: "mpi rank 8 of 16
// on dgx-b, local rank 0", but not "rank 3 on data-parallel group 0".
bool NamesHost(std::string_view name, std::string_view behind, bool counts) {
  if (name.size() < 3 || !scan::IsAlpha(name[0])) return false;
  if (std::any_of(name.begin(), name.end(), scan::IsDigit)) return true;
  const bool ends = behind.empty() || behind[0] == ',' || behind[0] == ';' || behind[0] == ')';
  return counts && ends && name.find('-') != std::string_view::npos;
}

// Behind one of the words that introduce hosts.
std::string_view HostIn(std::string_view text) {
  const bool row = text.starts_with('#') && scan::Find(text, " Group ") != std::string_view::npos;  // of nccl-tests
  const bool counts = scan::Find(text, "local rank ") != std::string_view::npos ||
                      scan::Find(text, "local_rank") != std::string_view::npos;
  for (const std::string_view word :
       {"host=", "hostname=", "node=", "host: ", "hostname: ", "initialized host ", " host ", " on "}) {
    const size_t at = scan::Find(text, word);
    if (at == std::string_view::npos || (at > 0 && IsAlnum(text[at - 1]) && word[0] != ' ')) continue;
    const std::string_view rest = scan::Trim(text.substr(at + word.size()));  // "on    gpu-a17", in columns
    size_t end = 0;
    while (end < rest.size() && (scan::IsHostChar(rest[end]) || rest[end] == '.')) ++end;
    const std::string_view name = rest.substr(0, end);
    if (NamesHost(name, rest.substr(end), counts) || (row && !name.empty())) return name;
  }
  return {};
}

// GPU-5179f717-0446-ac83-3736-1ad01988fc8b
std::string_view GpuIn(std::string_view text) {
  constexpr size_t kUuid = 40;
  const size_t at = scan::Find(text, "GPU-");
  if (at == std::string_view::npos || text.size() < at + kUuid || text[at + 12] != '-' || text[at + 27] != '-')
    return {};
  return text.substr(at, kUuid);
}

}  // namespace

bool ExtractRollCall(const Extraction& x) {
  const std::string_view text = x.body();
  if (x.line.number > kFirstLines && x.line.dialect != Dialect::kKernel) return false;
  if (text.size() > kLongest || !(x.Has(TellingWord::kRank) || x.Has(TellingWord::kWho))) return false;
  if (const std::string_view at = scan::After(text, "NVRM: GPU at PCI:"); !at.empty()) {
    const std::string_view gpu = GpuIn(at);
    if (gpu.empty()) return false;
    x.Begin(EventKind::kRollCall)
        .Set(FieldId::kHost, x.line.outer.host)
        .Set(FieldId::kBusId, at.substr(0, scan::Find(at, ": ")))
        .Set(FieldId::kDevice, gpu);
    return true;
  }
  if (ExtractList(x)) return true;
  const int64_t rank = RankIn(text);
  if (rank < 0) return false;
  const std::string_view host = HostIn(text);
  const std::string_view gpu = GpuIn(text);
  const std::string_view address = Cursor(scan::After(text, "tcp://")).Until(" ,)>'");
  int64_t pid = -1;
  for (const std::string_view word : {"pid", "Pid "}) {
    const size_t at = scan::Find(text, word);
    if (pid < 0 && at != std::string_view::npos) pid = NumberAt(text, at + word.size());
  }
  // Of a label that has no rank: what its process says of itself.
  if (pid < 0 && x.line.outer.rank < 0 && !SpeaksOfAnother(text)) pid = x.line.outer.pid;
  if (host.empty() && gpu.empty() && address.empty() && pid < 0) return false;
  EventWriter event = x.Begin(EventKind::kRollCall);
  event.Set(FieldId::kRank, rank).Set(FieldId::kHost, host).Set(FieldId::kDevice, gpu).Set(FieldId::kAddress, address);
  if (pid > 0) event.Set(FieldId::kPid, pid);
  return true;
}

}  // namespace ncclwhy
