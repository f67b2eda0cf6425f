#include "job/listed_names.h"

#include "beside.h"
#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("an id is that of the host in its row", "[job]") {
  const Beside b(
      "|  i-07792e0f955a9673b |  10.1.32.11  |  efa-all-self |\n|  i-0f3d0e6617aa2c8d1 |  10.1.40.7   |  default  |\n");
  CHECK(HostListedWith(b.model, "i-0f3d0e6617aa2c8d1") == "gx2");
  CHECK(HostListedWith(b.model, "i-07792e0f955a9673b") == "gx1");
  CHECK(HostListedWith(b.model, "i-0f3d0e6617aa2c8d").empty());  // no whole word
}

TEST_CASE("an address is that of the host whose list it is in", "[job]") {
  const Beside b(
      "$ ssh gx1 cat /sys/class/infiniband/rdmap0/ports/1/gids/0\nfe80::82:4f1d:fe00:7f3\n"
      "$ ssh gx2 cat /sys/class/infiniband/rdmap0/ports/1/gids/0\nfe80::86:d07e:fe00:5d5\n");
  CHECK(HostListedWith(b.model, "fe80::86:d07e:fe00:5d5") == "gx2");
}

TEST_CASE("a name that several hosts have is nobody's", "[job]") {
  const Beside b("gx1 subnet-0aa1 up\ngx2 subnet-0aa1 up\n");
  CHECK(HostListedWith(b.model, "subnet-0aa1").empty());
}

}  // namespace
}  // namespace ncclwhy
