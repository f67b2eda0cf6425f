#include "parser/telling_words.h"

#include <memory>
#include <random>
#include <string>
#include <utility>

#include "catch.h"

namespace ncclwhy {
namespace {

constexpr std::pair<std::string_view, TellingWord> kExpected[] = {
    {"NCCL", TellingWord::kNccl},
    {"(exitcode: ", TellingWord::kExitCode},
    {"Sending process ", TellingWord::kSendingProcess},
    {"process rank ", TellingWord::kProcessRank},
    {"NCCL failure ", TellingWord::kTestFailure},
    {"Test CUDA failure ", TellingWord::kCudaFailure},
    {"log entry (may be unrelated) '", TellingWord::kLogEntry},
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
};

TEST_CASE("words are found where a search for each finds them", "[telling_words]") {
  std::mt19937 random(5);
  const auto noise = [&](size_t size) {
    // Pieces of the words, so that much is nearly one of them.
    std::string out;
    while (out.size() < size) {
      const std::string_view word = kExpected[random() % std::size(kExpected)].first;
      if (random() % 4 == 0) out += static_cast<char>(random() % 256);
      out += word.substr(random() % word.size(), random() % 4);
    }
    out.resize(size);
    return out;
  };
  for (size_t round = 0; round < 20000; ++round) {
    std::string text = noise(random() % 90);
    if (round % 3 != 0) text += kExpected[random() % std::size(kExpected)].first;
    if (round % 3 == 2) text += noise(random() % 90);
    const auto exact = std::make_unique<char[]>(text.size());  // ends where the text does
    std::copy(text.begin(), text.end(), exact.get());
    const TellingWords words(std::string_view(exact.get(), text.size()));
    bool any = false;
    for (const auto& [word, id] : kExpected) {
      const bool there = text.find(word) != std::string::npos;
      any = any || there;
      INFO(text << " / " << word);
      REQUIRE(words.Has(id) == there);
    }
    REQUIRE(words.Any() == any);
  }
}

}  // namespace
}  // namespace ncclwhy
