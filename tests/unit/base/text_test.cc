#include "base/text.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("edit distance", "[base]") {
  CHECK(EditDistance("NCCL_DEBUG", "NCCL_DEBUG", 3) == 0);
  CHECK(EditDistance("NCCL_DBEUG", "NCCL_DEBUG", 3) == 1);  // swapped
  CHECK(EditDistance("NCCL_DEBG", "NCCL_DEBUG", 3) == 1);
  CHECK(EditDistance("", "abc", 3) == 3);
  CHECK(EditDistance("abc", "xyz", 2) == 3);                                  // more than the limit
  CHECK(EditDistance(std::string(500, 'a'), std::string(500, 'a'), 2) == 3);  // too long to look at
}

TEST_CASE("the nearest name", "[base]") {
  const std::vector<std::string_view> names = {"NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_IB_GID_INDEX", "NCCL_IB_HCA",
                                               "NCCL_SOCKET_IFNAME"};
  CHECK(NearestName("NCCL_SOCKET_IFNAM", names) == "NCCL_SOCKET_IFNAME");
  CHECK(NearestName("nccl_socket_ifname", names) == "NCCL_SOCKET_IFNAME");
  CHECK(NearestName("NCCL-IB-HCA", names) == "NCCL_IB_HCA");
  CHECK(NearestName("NCCL_IB_DISABLED", names) == "NCCL_IB_DISABLE");
  CHECK(NearestName("NCCL_IB_GID", names) == "NCCL_IB_GID_INDEX");  // none is near, one goes on
  CHECK(NearestName("NCCL_SOCKET", names) == "NCCL_SOCKET_IFNAME");
  CHECK(NearestName("LD_LIBRARY_PATH", names).empty());
  CHECK(NearestName("", names).empty());
  CHECK(NearestName("NCCL_DEBUG", {}).empty());
}

TEST_CASE("globs", "[base]") {
  CHECK(GlobMatches("net-*", "net-refused"));
  CHECK(GlobMatches("*", ""));
  CHECK(GlobMatches("*-closed", "net-peer-closed"));
  CHECK(GlobMatches("a*b*c", "axxbyybc"));
  CHECK_FALSE(GlobMatches("net-*", "ib-net-"));
  CHECK_FALSE(GlobMatches("a*b*c", "axxbyyb"));
  CHECK_FALSE(GlobMatches("a?c", "abc"));  // only `*` is special
}

TEST_CASE("the nearest name may be written in any case", "[base]") {
  CHECK(NearestName("Literl", {"regex", "literal", "level"}) == "literal");
  CHECK(NearestName("min-processes", {"min_processes"}) == "min_processes");
}

}  // namespace
}  // namespace ncclwhy
