#include "base/string_pool.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("in a copy of a pool every id means the same, and new texts go on behind them", "[base]") {
  StringPool pool;
  const StringId host = pool.Intern("node3"), longer = pool.Intern(std::string(5000, 'x'));
  StringPool copy = pool.Copy();
  CHECK(copy.size() == pool.size());
  CHECK(copy.bytes() == pool.bytes());
  CHECK(copy.View(host) == "node3");
  CHECK(copy.View(host).data() != pool.View(host).data());
  CHECK(copy.View(longer).size() == 5000);
  CHECK(copy.Find("node3").value == host.value);
  CHECK(copy.Intern("node4").value == pool.Intern("node4").value);
}

TEST_CASE("a pool of nothing but the empty text can be copied", "[base]") {
  const StringPool pool;
  StringPool copy = pool.Copy();
  CHECK(copy.size() == 1);
  CHECK(copy.View(StringId{0}).empty());
  CHECK(copy.View(copy.Intern("node3")) == "node3");
}

}  // namespace
}  // namespace ncclwhy
