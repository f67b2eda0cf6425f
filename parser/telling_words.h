// TellingWords: which words that tell something are in a line of another program. One pass for all of them instead of a
// search for each: nearly every line has none.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

enum class TellingWord : uint8_t {
  kNccl,
  kExitCode,
  kSendingProcess,
  kProcessRank,
  kTestFailure,
  kCudaFailure,
  kLogEntry,
  kProcessGroup,
  kBackendError,
  kElasticModule,
  kElasticPath,
  kSignal,
  kSignalNumber,
  kCaughtSignal,
  kUcx,
  kXid,
  kOomKilled,
  kScheduling,
  kCrashLoop,
  kKubelet,
  kSegfault,
};

class TellingWords {
 public:
  TellingWords() = default;
  explicit TellingWords(std::string_view text) : words_(Find(text)) {}

  bool Any() const { return words_ != 0; }
  bool Has(TellingWord word) const { return (words_ >> static_cast<uint8_t>(word) & 1) != 0; }

 private:
  static uint32_t Find(std::string_view text);

  uint32_t words_ = 0;
};

}  // namespace ncclwhy
