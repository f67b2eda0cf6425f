// SharedAnswers: what was found out about texts, for all sources that one thread reads. The ranks of a job print the
// same lines, so that only the first file has to ask the catalogue of messages and the rules:
//
//   h100-002:68328:68328 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so
//   h100-017:41790:41790 [5] NCCL INFO NET/Plugin: Could not find: libnccl-net.so
//
// Each answer depends on level and text alone, and is kept with the whole text: which file came first does not matter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/recognizer.h"

namespace ncclwhy {

// Unlike other recognizers, of one thread only.
class SharedAnswers : public MessageRecognizer {
 public:
  // What ShapeProver::OnlyCounts says of a shape.
  struct Counting {
    bool only_counts = false;
    std::vector<std::string> words;
  };

  // `catalogue` is borrowed.
  explicit SharedAnswers(const MessageRecognizer& catalogue) : catalogue_(catalogue), texts_(kTexts) {}

  // -1: no message of the catalogue. Texts longer than kLongest are asked each time.
  int Recognize(LogLevel level, std::string_view body) const override;

  // The answer of `ask(Counting*)`, which may be an earlier one.
  template <typename Ask>
  Counting OnlyCounts(LogLevel level, std::string_view shape, int message, Ask ask) {
    std::pair<std::string, std::pair<LogLevel, int>> key(std::string(shape), {level, message});
    if (const auto known = counting_.find(key); known != counting_.end()) return known->second;
    Counting answer;
    ask(&answer);
    if (counting_.size() < kShapes) counting_.emplace(std::move(key), answer);
    return answer;
  }

 private:
  static constexpr size_t kTexts = 2048;  // a power of two
  static constexpr size_t kLongest = 256;
  static constexpr size_t kShapes = 256;

  struct Text {
    uint64_t hash = 0;
    int message = -1;
    LogLevel level = LogLevel::kNone;
    std::string body;
  };

  const MessageRecognizer& catalogue_;
  mutable std::vector<Text> texts_;  // by hash, the latest one in each place
  std::map<std::pair<std::string, std::pair<LogLevel, int>>, Counting> counting_;
};

}  // namespace ncclwhy
