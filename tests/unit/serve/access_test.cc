#include "serve/access.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a server is asked under its own address", "[serve]") {
  ListenAddress address;
  address.host = "2001:db8::5";
  const Access six(address, "", {"nccl.example.org"});
  CHECK(six.IsOurs("[2001:db8::5]:8471"));
  CHECK(six.IsOurs("[2001:db8::5]"));
  CHECK(six.IsOurs("nccl.example.org"));
  CHECK_FALSE(six.IsOurs("[2001:db8::6]:8471"));
  CHECK_FALSE(six.IsOurs("evil.example.org"));
  address.host = "127.0.0.1";
  const Access local(address, "", {});
  CHECK(local.IsOurs("localhost:8471"));
  CHECK(local.IsOurs("[::1]:8471"));
  CHECK_FALSE(local.IsOurs("127.evil.example.org"));
}

}  // namespace
}  // namespace ncclwhy
