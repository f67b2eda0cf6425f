#include "parser/fast/edge_line_memo.h"

#include <map>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kTo1 = "0[0] -> 1[1] via P2P/CUMEM";
constexpr std::string_view kTo2 = "0[0] -> 2[2] [send] via NET/IB/0/GDRDMA";

TEST_CASE("an edge is known behind the edge that it followed before", "[edge_line_memo]") {
  EdgeLineMemo memo;
  CHECK(!memo.Count(0, kTo1));
  memo.Keep(0, kTo1, 0);
  memo.Keep(0, kTo2, 1);
  CHECK(!memo.Count(0, kTo1));  // nothing has followed the second one
  memo.Keep(0, kTo1, 0);
  CHECK(memo.Count(0, kTo2));
  CHECK(memo.Count(0, kTo1));
  CHECK(memo.Count(0, kTo2));
  CHECK(!memo.Count(0, "0[0] -> 2[2] [send] via NET/IB/1/GDRDMA"));
  std::map<uint32_t, uint32_t> lines;
  memo.TakeCounts([&](uint32_t edge, uint32_t count) { lines[edge] = count; });
  CHECK(lines == std::map<uint32_t, uint32_t>{{0, 1}, {1, 2}});
}

TEST_CASE("processes do not know each other's edges", "[edge_line_memo]") {
  EdgeLineMemo memo;
  memo.Keep(0, kTo1, 0);
  memo.Keep(0, kTo1, 0);
  CHECK(memo.Count(0, kTo1));
  CHECK(!memo.Count(1, kTo1));
  memo.Keep(1, kTo1, 1);
  memo.Keep(1, kTo1, 1);
  CHECK(memo.Count(1, kTo1));
  CHECK(!memo.Count(UINT32_MAX, kTo1));
}

TEST_CASE("texts that are too short or too long are never known", "[edge_line_memo]") {
  EdgeLineMemo memo;
  for (const std::string& text : {std::string("0 -> 1 via SHM"), std::string(200, 'x')}) {
    memo.Keep(0, text, 0);
    memo.Keep(0, text, 0);
    CHECK(!memo.Count(0, text));
  }
}

}  // namespace
}  // namespace ncclwhy
