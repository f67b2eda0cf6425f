// Limits of patterns, at the border and one beyond: how much one may need when it is compiled.
#include <algorithm>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "hostile/own_rules.h"
#include "rules/engine/pattern_regex.h"

namespace ncclwhy::hostile {
namespace {

// A pattern that needs an instruction for each of n characters, in few characters of its own.
std::string Characters(int n) {
  std::string out = "something ";
  for (; n > 0; n -= std::min(n, 1000)) out += "a{" + std::to_string(std::min(n, 1000)) + "}";
  return out;
}

bool Compiles(int n) { return RE2(Characters(n), RulePatternOptions()).ok(); }

// The largest that fits.
int Border() {
  int fits = 1;
  int too_large = limits::kPatternMemory;
  while (too_large - fits > 1) {
    const int middle = (fits + too_large) / 2;
    (Compiles(middle) ? fits : too_large) = middle;
  }
  return fits;
}

TEST_CASE("memory of a pattern", "[hostile]") {
  const int border = Border();
  REQUIRE(border > 10'000);
  REQUIRE(Characters(border + 1).size() < limits::kPatternBytes);
  const auto rule = [](int n) { return R"("match": [{"literal": "something ", "regex": ")" + Characters(n) + "\"}]"; };
  const OwnRules inside(1, rule(border));
  CHECK(inside.rules().rules().size() == 1);
  const OwnRules beyond(1, rule(border + 1));
  CHECK(beyond.rules().rules().empty());
  const auto& said = beyond.diagnostics();
  const bool located = std::any_of(said.begin(), said.end(), [](const Diagnostic& d) {
    return d.code == "R034" && d.line > 0 && d.message == "the regex needs too much memory";
  });
  CHECK(located);
}

}  // namespace
}  // namespace ncclwhy::hostile
