#include "parser/telling_words.h"

#include <array>
#include <iterator>

#include "base/word_finder.h"

namespace ncclwhy {
namespace {

struct Word {
  std::string_view text;
  TellingWord says;
};

#define COMPLAINT(text) {text, TellingWord::kComplaint},
constexpr Word kWords[] = {
    {"NCCL", TellingWord::kNccl},
    {"(exitcode: ", TellingWord::kExitCode},
    {"Sending process ", TellingWord::kSendingProcess},
    {"process rank ", TellingWord::kProcessRank},
    {"NCCL failure ", TellingWord::kTestFailure},
    {"Test CUDA failure ", TellingWord::kCudaFailure},
    // of "log entry (may be unrelated) '": `log` is in every other line of a logger
    {"(may be unrelated) '", TellingWord::kLogEntry},
    {"ProcessGroupNCCL", TellingWord::kProcessGroup},
    {"DistBackendError", TellingWord::kBackendError},
    {"torch.distributed.elastic", TellingWord::kElasticModule},
    {"torch/distributed/elastic", TellingWord::kElasticPath},
    {"*** Process received signal", TellingWord::kSignal},
    {"] Signal: ", TellingWord::kSignalNumber},
    {"Caught signal", TellingWord::kCaughtSignal},
    {"UCX  ", TellingWord::kUcx},
    {"NVRM: Xid", TellingWord::kXid},
    {"OOMKilled", TellingWord::kOomKilled},
    {"FailedScheduling", TellingWord::kScheduling},
    {"CrashLoopBackOff", TellingWord::kCrashLoop},
    {" kubelet", TellingWord::kKubelet},
    {"segfault at ", TellingWord::kSegfault},
    {"rank", TellingWord::kRank},
    {"Rank", TellingWord::kRank},
    {"RANK", TellingWord::kRank},
    {"world=", TellingWord::kWho},
    {"process ", TellingWord::kWho},
    {"GPU at PCI:", TellingWord::kWho},
    {"NSpid:", TellingWord::kPids},
    {"gdb ", TellingWord::kStackTool},
    {"py-spy ", TellingWord::kStackTool},
    {"pstack ", TellingWord::kStackTool},
#include "parser/complaint_words.def"
};
#undef COMPLAINT
static_assert(std::size(kWords) <= WordFinder::kMost);

struct Sought {
  std::array<std::string_view, std::size(kWords)> texts;
  std::array<WordFinder::Sign, std::size(kWords)> signs;
  constexpr Sought() {
    for (size_t i = 0; i < std::size(kWords); ++i) {
      const bool complaint = kWords[i].says == TellingWord::kComplaint;
      texts[i] = kWords[i].text;
      signs[i] = {static_cast<uint8_t>(kWords[i].says), complaint};
      if (complaint) signs[i].within = kComplaintReach;
    }
  }
};
constexpr Sought kSought;
constexpr WordFinder kFinder(kSought.texts, kSought.signs);

}  // namespace

uint32_t TellingWords::Find(std::string_view text) { return static_cast<uint32_t>(kFinder.Find(text)); }

}  // namespace ncclwhy
