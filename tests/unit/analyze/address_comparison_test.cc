#include "analyze/address_comparison.h"

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Compared(std::string_view own, std::string_view peer) {
  return CompareAddresses(own, peer, Language::kEnglish);
}

TEST_CASE("two addresses of one connection are compared", "[analyze]") {
  CHECK(Compared("::ffff:192.168.100.10", "::ffff:172.31.0.44") ==
        "192.168.100.10 and 172.31.0.44 are in different networks");
  CHECK(Compared("192.168.3.4<40001>", "192.168.7.2<50001>").empty());
  CHECK(Compared("10.1.0.1", "10.77.0.2").empty());  // one network with a usual mask
  CHECK(Compared("10.1.0.1", "192.168.7.2") == "10.1.0.1 and 192.168.7.2 are in different networks");
  CHECK(Compared("fe80::ec0d:9aff:fe2e:1", "::ffff:10.0.0.2") ==
        "fe80::ec0d:9aff:fe2e:1 is link-local: no router forwards it");
  CHECK(Compared("10.0.0.2", "169.254.3.4") == "169.254.3.4 is link-local: no router forwards it");
  CHECK(Compared("10.0.0.2", "172.17.0.3") == "172.17.0.3 is of Docker's own bridge: no other host reaches it");
  CHECK(Compared("127.0.0.1", "10.0.0.3") == "127.0.0.1 reaches nothing but its own host");
  CHECK(CompareAddresses("10.1.0.1", "192.168.7.2", Language::kChinese) == "10.1.0.1 与 192.168.7.2 在不同的网络中");
}

TEST_CASE("what is no pair of addresses is not compared", "[analyze]") {
  CHECK(Compared("", "10.0.0.2").empty());
  CHECK(Compared("10.0.0.2", "10.0.0.2").empty());
  CHECK(Compared("10.0.0.2", "gpu-a17").empty());
  CHECK(Compared("10.0.0", "10.0.0.300").empty());
  CHECK(Compared("2001:db8::1", "2001:db9::1").empty());
}

TEST_CASE("GIDs are compared before addresses", "[analyze]") {
  TemplateValues values = {{"gid", "::ffff:192.168.1.1"},
                           {"remote_gid", "::ffff:10.0.0.1"},
                           {"own_address", "10.0.0.5<1>"},
                           {"peer", "10.0.0.6<2>"}};
  AddAddressComparison(Language::kEnglish, &values);
  CHECK(values["compared"] == "192.168.1.1 and 10.0.0.1 are in different networks");
  TemplateValues one_end = {{"gid", "fe80::1"}};
  AddAddressComparison(Language::kEnglish, &one_end);
  CHECK_FALSE(one_end.contains("compared"));
}

}  // namespace
}  // namespace ncclwhy
