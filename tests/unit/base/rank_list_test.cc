#include "base/rank_list.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("ranks as text and back", "[base]") {
  const std::vector<std::vector<int32_t>> lists = {
      {}, {7}, {0, 1, 2, 3}, {0, 8, 16, 24}, {3, 5}, {1, 2, 3, 9, 11, 13, 40}};
  for (const auto& ranks : lists) CHECK(ParseRankList(RankListText(ranks), 100) == ranks);
  CHECK(RankListText({0, 1, 2, 3}) == "0-3");
  CHECK(RankListText({0, 8, 16, 24}) == "0-24:8");
  CHECK(RankListText({3, 5}) == "3,5");
}

TEST_CASE("what is no list of ranks has none", "[base]") {
  for (const char* text : {"x", "1-", "-1", "4-2", "0-8:0", "0-8:-1", "1,,2", "99999999999"}) {
    CAPTURE(text);
    CHECK(ParseRankList(text, 100).empty());
  }
  CHECK(ParseRankList("0-2147483647", 100).empty());
  CHECK(ParseRankList("0-99", 100).size() == 100);
}

TEST_CASE("ranges of ranks for readers", "[base]") {
  CHECK(RankRanges({}).empty());
  CHECK(RankRanges({15, 8, 9, 10, 9}) == "8-10, 15");
  CHECK(RankRanges({8, 9}) == "8, 9");
  CHECK(RankRanges({0, 2, 4, 6}, 2) == "0, 2, \u2026");
}

}  // namespace
}  // namespace ncclwhy
