#include "analyze/gid_comparison.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("GIDs are read as NCCL prints them", "[analyze]") {
  CHECK(ReadGid("0/A64A8C0FFFF0000").text == "192.168.100.10");
  CHECK(ReadGid("0/A64A8C0FFFF0000").kind == GidKind::kAddress);
  CHECK(ReadGid("0/0").kind == GidKind::kEmpty);
  CHECK(ReadGid("80FE/1002EFEFF9A0DEC").kind == GidKind::kLinkLocal);
  CHECK(ReadGid("::").kind == GidKind::kEmpty);
  CHECK(ReadGid("::ffff:10.0.0.5").text == "10.0.0.5");
  CHECK(ReadGid("fe80::ec0d:9aff:fe2e:1").kind == GidKind::kLinkLocal);
  CHECK(ReadGid("").kind == GidKind::kUnknown);
  CHECK(ReadGid("x/y").kind == GidKind::kUnknown);
  CHECK(ReadGid("0/123456789ABCDEF01").kind == GidKind::kUnknown);
}

}  // namespace
}  // namespace ncclwhy
