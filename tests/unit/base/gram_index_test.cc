#include "base/gram_index.h"

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

// What the index finds in a buffer that ends where the text does.
std::set<uint32_t> Find(const GramIndexStorage& index, const std::vector<std::string>& texts, std::string_view line) {
  const auto exact = std::make_unique<char[]>(line.size());
  std::copy(line.begin(), line.end(), exact.get());
  const std::string_view copy(exact.get(), line.size());
  std::set<uint32_t> found;
  index.View().ForEach(copy, [&](const GramEntry& entry, size_t at) {
    REQUIRE(at < line.size());
    if (at < entry.offset) return;
    const std::string& text = texts[entry.text];
    if (copy.substr(at - entry.offset, text.size()) == text) found.insert(entry.text);
  });
  return found;
}

TEST_CASE("a text is found wherever it stands, and nothing behind the line is read", "[gram_index]") {
  std::mt19937 random(11);
  const auto text = [&](size_t size, unsigned kinds) {
    std::string out(size, ' ');
    for (char& c : out) c = static_cast<char>(kinds == 256 ? 1 + random() % 255 : 'a' + random() % kinds);
    return out;
  };
  for (const unsigned kinds : {2u, 5u, 26u, 256u}) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < 60; ++i) texts.push_back(text(4 + i % 20, kinds));
    GramIndexBuilder builder;
    for (uint32_t i = 0; i < texts.size(); ++i) {
      const std::string_view piece = texts[i];
      REQUIRE(builder.Add(i, {&piece, 1}));
    }
    const GramIndexStorage index = builder.Build();
    for (size_t round = 0; round < 3000; ++round) {
      std::string line = text(random() % 40, kinds);
      line += texts[random() % texts.size()];  // every other time at the very end
      if (round % 2 == 0) line += text(random() % 300, kinds);
      if (round % 3 == 0) line.insert(random() % line.size(), 1 + random() % 9, '\0');
      std::set<uint32_t> expected;
      for (uint32_t i = 0; i < texts.size(); ++i) {
        if (line.find(texts[i]) != std::string::npos) expected.insert(i);
      }
      REQUIRE(Find(index, texts, line) == expected);
      line.resize(random() % 12);
      expected.clear();
      for (uint32_t i = 0; i < texts.size(); ++i) {
        if (line.find(texts[i]) != std::string::npos) expected.insert(i);
      }
      REQUIRE(Find(index, texts, line) == expected);
    }
  }
}

TEST_CASE("texts without grams are refused, an empty index finds nothing", "[gram_index]") {
  GramIndexBuilder builder;
  const std::vector<std::string_view> pieces = {"", "abc", std::string_view("ab\0cd", 5)};
  CHECK(!builder.Add(0, pieces));
  CHECK(!builder.Add(1, {}));
  const auto never = [](const GramEntry&, size_t) { FAIL("found"); };
  builder.Build().View().ForEach("abcabcabcabcabcabc", never);
  GramIndex().ForEach("abcabcabcabcabcabc", never);
}

}  // namespace
}  // namespace ncclwhy
