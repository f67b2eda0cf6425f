#include "rules/engine/loose_regex.h"

#include <string>

#include "catch.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/rule_list.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

TEST_CASE("long counts are left out of a regex, wherever they stand", "[rules]") {
  CHECK(LooseRegex("\\b[^\\n]{0,60}\\bgrid\\b.{1,80}?ranks") == "\\b[^\\n]*\\bgrid\\b.+?ranks");
  CHECK(LooseRegex("(?:ab){0,20}(c{2,40})") == "(?:ab)*(c+)");
  CHECK(LooseRegex("[]{0,60}]{0,60}[^][:alpha:]{]{3,90}") == "[]{0,60}]*[^][:alpha:]{]+");
}

TEST_CASE("what has no long count has no looser regex", "[rules]") {
  for (const std::string_view regex :
       {"", "a{2}", "\\d{1,6}", "a{3,}", "\\{0,60}", "[{0,60}]", "a{,60}", "[", "a{0,", "\\"}) {
    INFO(regex);
    CHECK(LooseRegex(regex).empty());
  }
}

TEST_CASE("a looser regex compiles where its own does, and matches what that matches", "[rules]") {
  const std::string text =
      "ERROR: grid of 3 x 4 processes does not match the number of MPI ranks, rank 3 of 12 on node7 failed";
  size_t some = 0;
  for (const Rule& rule : RuleSet::Embedded().rules()) {
    for (const LinePattern& pattern : rule.patterns) {
      const std::string loose = LooseRegex(pattern.regex);
      if (loose.empty()) continue;
      ++some;
      const RE2 own(ToRe2(pattern.regex), RulePatternOptions());
      const RE2 looser(loose, RulePatternOptions());
      INFO(std::string_view(pattern.regex) << "  →  " << loose);
      REQUIRE(looser.ok() == own.ok());
      for (size_t begin = 0; begin < text.size(); begin += 3) {
        const std::string part = text.substr(begin);
        CHECK((RE2::PartialMatch(part, looser) || !RE2::PartialMatch(part, own)));
      }
    }
  }
  CHECK(some > 100);
}

}  // namespace
}  // namespace ncclwhy
