#include "parser/pulse_words.h"

#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a time of a wait is told, and nothing behind the text is read", "[pulse]") {
  const std::vector<char> seconds = {' ', 's'};  // no NUL ends it: a reader that looks for one is seen by sanitizers
  const std::string_view behind(seconds.data(), seconds.size());
  CHECK(SecondsBehind(behind, "waiting for rank 3, 16 s", false) == 1);
  CHECK(SecondsBehind(behind, "step 16 s", false) == 0);
  CHECK(SecondsBehind(behind, "step 16 s", true) == 1);
  CHECK(SecondsBehind(" min ago", "seen 3 min ago", false) == 60);
}

}  // namespace
}  // namespace ncclwhy
