#include "parser/telling_words.h"

#include <iterator>

#include "base/word_finder.h"

namespace ncclwhy {
namespace {

// In the order of TellingWord. A line that has none of them is asked nothing more by the families of extractors.
constexpr std::string_view kWords[] = {
    "NCCL",
    "(exitcode: ",
    "Sending process ",
    "process rank ",
    "NCCL failure ",
    "Test CUDA failure ",
    "(may be unrelated) '",  // of "log entry (may be unrelated) '": `log` is in every other line of a logger
    "ProcessGroupNCCL",
    "DistBackendError",
    "torch.distributed.elastic",
    "torch/distributed/elastic",
    "*** Process received signal",
    "] Signal: ",
    "Caught signal",
    "UCX  ",
    "NVRM: Xid",
    "OOMKilled",
    "FailedScheduling",
    "CrashLoopBackOff",
    " kubelet",
    "segfault at ",
};
constexpr size_t kCount = std::size(kWords);
static_assert(kCount == static_cast<size_t>(TellingWord::kSegfault) + 1 && kCount <= 32);

constexpr WordFinder kFinder(kWords);

}  // namespace

uint32_t TellingWords::Find(std::string_view text) { return kFinder.Find(text); }

}  // namespace ncclwhy
