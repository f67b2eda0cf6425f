#include "base/host_list.h"

#include "catch.h"

namespace ncclwhy {
namespace {

using Hosts = std::vector<std::string>;

TEST_CASE("a scheduler's list of hosts is written out", "[host_list]") {
  CHECK(ExpandHostList("node[01-03,7],gpu-a") == Hosts{"node01", "node02", "node03", "node7", "gpu-a"});
  CHECK(ExpandHostList("r[1-2]n[09-10]") == Hosts{"r1n09", "r1n10", "r2n09", "r2n10"});
  CHECK(ExpandHostList("a b,,c") == Hosts{"a", "b", "c"});
  CHECK(ExpandHostList("").empty());
}

TEST_CASE("what is no list is taken as it stands, and none is endless", "[host_list]") {
  CHECK(ExpandHostList("n[1-") == Hosts{"n[1-"});
  CHECK(ExpandHostList("n[5-1],n[x],n[]") == Hosts{"n[5-1]", "n[x]", "n[]"});
  CHECK(ExpandHostList("n[1-999999999999]", 100).size() == 100);
  CHECK(ExpandHostList("a[1-1000]b[1-1000]c[1-1000]", 5000).size() == 5000);
  CHECK(ExpandHostList("n[1-99999999999999999999]") == Hosts{"n[1-99999999999999999999]"});
}

}  // namespace
}  // namespace ncclwhy
