#include "base/text_memo.h"

#include <random>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a text is known from its second time on", "[base]") {
  TextMemo<int> memo;
  const std::string text = "misc/socket.cc:752 -> 6";
  CHECK(memo.Find(1, text) == nullptr);
  TextMemo<int>::Entry* const second = memo.Find(1, text);
  REQUIRE(second != nullptr);
  CHECK_FALSE(second->known);
  second->known = true;
  second->value = 7;
  TextMemo<int>::Entry* const third = memo.Find(1, text);
  REQUIRE(third != nullptr);
  CHECK(third->known);
  CHECK(third->value == 7);
  CHECK(memo.Find(2, text) == nullptr);
}

TEST_CASE("texts that come once do not mix up those that come again", "[base]") {
  TextMemo<int> memo;
  const std::string again = "socketProgress: Connection closed by remote peer h100-02<36017>";
  for (int i = 0; i < 20000; ++i) {
    memo.Find(0, "step " + std::to_string(i) + " loss=1.2339");
    const TextMemo<int>::Entry* const found = memo.Find(0, again);
    if (found != nullptr) REQUIRE(found->text == again);
  }
  memo.Find(0, again);
  CHECK(memo.Find(0, again) != nullptr);
}

TEST_CASE("two texts that come in turns are both kept", "[base]") {
  const std::string first = "Connection closed by remote peer gpu001<41243>";
  for (int i = 2; i < 300; ++i) {  // of some the places are the same
    TextMemo<int> memo;
    const std::string second = "Connection closed by remote peer gpu" + std::to_string(i) + "<41243>";
    for (const std::string& text : {first, first, second, second}) memo.Find(0, text);
    for (int turn = 0; turn < 3; ++turn) {
      CHECK(memo.Find(0, first) != nullptr);
      CHECK(memo.Find(0, second) != nullptr);
    }
  }
}

// A hundred messages of thirty hosts, in no order.
TEST_CASE("thousands of texts that come again have room", "[base]") {
  TextMemo<int> memo;
  std::mt19937 random(3);
  size_t found = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto text = random() % 3000;
    const bool known = memo.Find(0, "gpu" + std::to_string(text % 30) + ": message " + std::to_string(text)) != nullptr;
    found += known && i >= 90'000 ? 1 : 0;
  }
  CHECK(found > 9'000);
}

}  // namespace
}  // namespace ncclwhy
