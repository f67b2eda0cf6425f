#include "report/known_words.h"

#include <re2/re2.h>

#include <memory>
#include <string>

#include "base/limits.h"
#include "base/re2_call.h"
#include "report/known_words_table.h"

namespace ncclwhy {
namespace {

// A binary search among lines: each step looks at the line in which the middle of what is left stands.
bool InTable(std::string_view word) {
  std::string_view left = KnownWordsText();
  while (!left.empty()) {
    const size_t begin = left.rfind('\n', left.size() / 2 - 1) + 1;  // 0 in the first; a line has two bytes at least
    const size_t end = left.find('\n', begin);
    const int order = word.compare(left.substr(begin, end - begin));
    if (order == 0) return true;
    left = order < 0 ? left.substr(0, begin) : left.substr(end + 1);
  }
  return false;
}

// What a word looks like that carries no name, whatever it is.
constexpr char kShapesOfValues[] =
    // 12, 1_000, 3.5, 2026-11-20, 12-15; more groups between dashes may be a telephone or an account.
    R"([0-9_]{1,19}(?:\.[0-9]+)*|[0-9]{1,6}-[0-9]{1,6}|[0-9]{4}-[0-9]{2}-[0-9]{2}|)"
    // 2026-11-20T10 … 12.123Z, 20261120T101112Z
    R"((?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})T[0-9]{2,6}(?:\.[0-9]+)?Z?|[0-9]{2}(?:\.[0-9]+)?Z|)"
    // 0x7f…, short hexadecimal numbers as NCCL prints them
    R"(0[xX][0-9a-fA-F]{1,16}|[0-9][0-9a-f]{1,6}|[0-9a-f]{1,2}|)"
    // 12ms, 33.0MB, 400Gb, 2nd, 1e-05, 8x
    R"([0-9]+(?:\.[0-9]+)?(?:ns|us|ms|s|m|h|d|min|sec|st|nd|rd|th|x|[kKmMgGtTP]i?[bB]?(?:ps)?|[bB]|it|Hz|MHz|GHz|W|C|TFLOPS?)|)"
    R"([0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,3}|)"
    // 2.28.9+cuda12.9, v1.13.2-aws, 5.15.0-91-generic, 25.04-py3, cu128, sm_90
    R"([vV]?[0-9]+(?:\.[0-9]+)+(?:[.+_-]?(?:cuda|cu|rc|alpha|beta|a|b|post|dev|nv|rocm|el|py|ga|aws|azure|gke|gcp|generic|)"
    R"(amd64|x86_64|aarch64|ubuntu|deb|git)?[0-9]*(?:\.[0-9]+)*)*|)"
    R"((?:cu|cuda|py|sm_|compute_|gfx|python|fp|bf|int|uint|float|e[0-9]m|utf-?|sha|md)[0-9]{1,4}(?:\.[0-9]+)*|)"
    // Names that NCCL and the libraries below it make.
    R"(p?nccl[A-Z][A-Za-z0-9]{0,40}|(?:NCCL|RCCL|CUDA|TORCH|PYTORCH|UCX|SLURM|OMPI|GLOO|IBV|FI|OFI|HSA|HIP)_[A-Z0-9_]{1,48}|)"
    R"(ibv_[a-z_]{1,32}|cuda[A-Z][A-Za-z]{1,40}|cu[A-Z][A-Za-z]{1,40}|nvml[A-Z][A-Za-z]{1,40}|nccl-[A-Za-z0-9]{6}|)"
    // Devices and interfaces.
    R"((?:mlx[45]|bnxt_re|irdma|efa|hfi1|qedr|rxe|siw)_?[0-9]{1,3}|mlx5_bond_[0-9]{1,2}|)"
    R"((?:eth|ib|ibs|bond|ens|eno|em|docker|virbr|br|lo|rdmap|hsn|nvme|wlan|tun|tap|cni|flannel)[0-9]{1,4}(?:[a-z][0-9]{1,3}){0,4}|)"
    R"(en[ps][0-9]{1,3}(?:[a-z][0-9]{1,3}){1,4}(?:np[0-9])?|rocep[0-9]{1,3}s[0-9]{1,3}(?:f[0-9])?|rdmap[0-9]{1,3}s[0-9]{1,3}|)"
    R"(GPU[0-9]{1,3}|[ABHLVT][0-9]{1,3}0?0|(?:rank|epoch|step|iter|stage|channel|thread|local_rank)[_-]?[0-9]{1,7}|)"
    R"([IWEF][0-9]{4}|[A-Za-z])";

bool HasShape(std::string_view token) {
  static const RE2* const shapes = [] {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(limits::kPatternMemory);
    return InRe2([&] { return std::make_unique<RE2>(std::string("(?:") + kShapesOfValues + ")", options); }).release();
  }();
  return InRe2([&] { return RE2::FullMatch(re2::StringPiece(token.data(), token.size()), *shapes); });
}

}  // namespace

bool IsKnownPlace(std::string_view text) { return InTable(text); }

bool IsKnownHan(std::string_view run) {
  constexpr size_t kBytes = 3;  // of a common ideograph
  for (size_t i = 0; i + 2 * kBytes <= run.size(); i += kBytes) {
    if (!InTable(run.substr(i, 2 * kBytes))) return false;
  }
  return run.size() % kBytes == 0;
}

bool IsKnownWord(std::string_view token) {
  std::string lower(token);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (InTable(lower)) return true;
  if (token.size() <= 64 && HasShape(token)) return true;
  // torch.distributed.DistBackendError, rank0.log, a+b: each part for itself.
  const size_t part = token.find_first_of(".+");
  if (part == std::string_view::npos || part == 0 || part + 1 >= token.size()) return false;
  return IsKnownWord(token.substr(0, part)) && IsKnownWord(token.substr(part + 1));
}

}  // namespace ncclwhy
