#include "analyze/host_blocks.h"

#include "catch.h"

namespace ncclwhy {
namespace {

// `hosts[r]` is the host of rank r; empty: nobody heard it.
JobModel JobOf(const std::vector<std::string_view>& hosts) {
  JobModel model;
  Communicator c;
  for (size_t r = 0; r < hosts.size(); ++r) {
    Rank rank;
    rank.rank = static_cast<int32_t>(r);
    rank.host = hosts[r];
    rank.seen = !hosts[r].empty();
    c.ranks.push_back(rank);
  }
  model.communicators.push_back(c);
  model.largest = CommId{0};
  return model;
}

TEST_CASE("a missing rank runs on the host of its block that has room", "[analyze]") {
  CHECK(HostBlocks(JobOf({"a", "a", "b", "", "c", "c"})).HostOf(3) == "b");
  CHECK(HostBlocks(JobOf({"a", "a", "", ""})).HostOf(2) == "a");  // the only one
  CHECK(HostBlocks(JobOf({"a", "", ""})).HostOf(1) == "a");
}

TEST_CASE("nothing is said where the order does not tell", "[analyze]") {
  CHECK(HostBlocks(JobOf({"a", "b", "a", "", "b", "b"})).HostOf(3).empty());  // round robin
  CHECK(HostBlocks(JobOf({"a", "a", "b", "b", "", ""})).HostOf(4).empty());   // a host without any log
  CHECK(HostBlocks(JobOf({"a", "a"})).HostOf(-1).empty());
  CHECK(HostBlocks(JobModel()).HostOf(0).empty());
}

}  // namespace
}  // namespace ncclwhy
