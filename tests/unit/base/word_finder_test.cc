#include "base/word_finder.h"

#include <random>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kWords[] = {"rank", "Rank", "n't", "xid", " no ", "error", "NCCL", "fail", "process "};
constexpr WordFinder::Sign kSigns[] = {{0}, {0}, {1, true}, {1, true}, {1, true}, {1, true, 40}, {2}, {1, true}, {3}};
constexpr WordFinder kFinder(kWords, kSigns);
constexpr WordFinder kBare(kWords);

std::string Folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c | 0x20);
  return out;
}

uint64_t FoundOneByOne(std::string_view text) {
  uint64_t found = 0;
  for (size_t i = 0; i < std::size(kWords); ++i) {
    const std::string in = kSigns[i].any_case ? Folded(text) : std::string(text);
    const std::string word = kSigns[i].any_case ? Folded(kWords[i]) : std::string(kWords[i]);
    const size_t at = in.find(word);
    if (at != std::string::npos && at + word.size() <= kSigns[i].within) found |= uint64_t{1} << kSigns[i].bit;
  }
  return found;
}

TEST_CASE("words and what they say are found where a search for each finds them", "[base]") {
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (const size_t size = random() % 90; text.size() < size;) {
      const std::string_view word = kWords[random() % std::size(kWords)];
      text += word.substr(0, 1 + random() % word.size());
      if (random() % 5 == 0) text += static_cast<char>(random() % 256);
      if (random() % 7 == 0) text.back() = static_cast<char>(text.back() ^ 0x20);
    }
    INFO(text);
    REQUIRE(kFinder.Find(text) == FoundOneByOne(text));
    uint64_t bare = 0;
    for (size_t i = 0; i < std::size(kWords); ++i) {
      if (text.find(kWords[i]) != std::string::npos) bare |= uint64_t{1} << i;
    }
    REQUIRE(kBare.Find(text) == bare);
  }
}

}  // namespace
}  // namespace ncclwhy
