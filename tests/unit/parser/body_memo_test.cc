#include "parser/body_memo.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a text is known from its second time on", "[parser]") {
  BodyMemo memo;
  const std::string text = "misc/socket.cc:752 -> 6";
  CHECK(memo.Find(LogLevel::kInfo, text) == nullptr);
  BodyMemo::Entry* const second = memo.Find(LogLevel::kInfo, text);
  REQUIRE(second != nullptr);
  CHECK_FALSE(second->judged);
  second->judged = true;
  const uint32_t number = second->number;
  CHECK(number != 0);
  BodyMemo::Entry* const third = memo.Find(LogLevel::kInfo, text);
  REQUIRE(third != nullptr);
  CHECK(third->judged);
  CHECK(third->number == number);
  CHECK(memo.Find(LogLevel::kWarn, text) == nullptr);
}

TEST_CASE("texts that come once do not mix up those that come again", "[parser]") {
  BodyMemo memo;
  const std::string again = "socketProgress: Connection closed by remote peer h100-02<36017>";
  for (int i = 0; i < 20000; ++i) {
    memo.Find(LogLevel::kNone, "step " + std::to_string(i) + " loss=1.2339");
    const BodyMemo::Entry* const found = memo.Find(LogLevel::kNone, again);
    if (found != nullptr) REQUIRE(found->body == again);
  }
  memo.Find(LogLevel::kNone, again);
  CHECK(memo.Find(LogLevel::kNone, again) != nullptr);
}

}  // namespace
}  // namespace ncclwhy
