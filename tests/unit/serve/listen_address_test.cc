#include "serve/listen_address.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("addresses to listen on", "[serve]") {
  struct {
    const char* text;
    const char* url;  // nullptr: refused
    bool loopback;
  } const cases[] = {
      {"127.0.0.1:8471", "http://127.0.0.1:8471", true},
      {"127.9.9.9:1", "http://127.9.9.9:1", true},
      {"localhost:80", "http://localhost:80", true},
      {"[::1]:80", "http://[::1]:80", true},
      {":80", "http://127.0.0.1:80", true},
      {"80", "http://127.0.0.1:80", true},
      {"0", "http://127.0.0.1:0", true},
      {"0.0.0.0:80", "http://0.0.0.0:80", false},
      {"[::]:80", "http://[::]:80", false},
      {"node7:80", "http://node7:80", false},
      {"", nullptr, false},
      {"node7", nullptr, false},
      {"node7:", nullptr, false},
      {"node7:http", nullptr, false},
      {"node7:65536", nullptr, false},
      {"node7:-1", nullptr, false},
      {"::1:80", nullptr, false},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    const Result<ListenAddress> address = ParseListenAddress(c.text);
    REQUIRE(address.ok() == (c.url != nullptr));
    if (!address.ok()) continue;
    CHECK(address.value().Url() == c.url);
    CHECK(address.value().IsLoopback() == c.loopback);
  }
}

}  // namespace
}  // namespace ncclwhy
