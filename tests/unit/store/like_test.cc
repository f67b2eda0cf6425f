#include "store/like.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("LIKE compares as SQLite does") {
  CHECK(IsLike("Using network Socket", "using NETWORK socket%"));
  CHECK(IsLike("NET/Plugin : No plugin found (libnccl-net.so)", "NET/Plugin%No plugin found%"));
  CHECK(IsLike("abcabd", "%abd"));
  CHECK(IsLike("", "%"));
  CHECK(IsLike("", ""));
  CHECK(IsLike("h\xC3\xA9", "h_"));
  CHECK_FALSE(IsLike("h\xC3\xA9", "h__"));
  CHECK_FALSE(IsLike("Connected all rings", "Using%"));
  CHECK_FALSE(IsLike("abc", "abc_"));
  CHECK_FALSE(IsLike("abc", ""));
  CHECK_FALSE(IsLike("abcd", "abc"));
}

}  // namespace
}  // namespace ncclwhy
