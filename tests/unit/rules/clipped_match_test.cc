#include "rules/engine/clipped_match.h"

#include <string>
#include <vector>

#include "catch.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/rule.h"

namespace ncclwhy {
namespace {

TEST_CASE("only a mark at the end says that a line was clipped", "[rules]") {
  CHECK(BeforeClip("falling back to simp…") == "falling back to simp");
  const std::string wide = "The server socket has failed to bind to 0.0.0.0:29500, falling back to simp";
  CHECK(BeforeClip(wide + "...") == wide);
  CHECK(BeforeClip("Performing health check for node3...").empty());  // a sentence
  CHECK(BeforeClip("falling back … to").empty());
}

TEST_CASE("a clipped text matches as far as it goes, and to its end", "[rules]") {
  const auto matches = [](std::string_view regex, std::string_view text) {
    const std::string clipped = ClippedRegex(regex);
    CAPTURE(clipped);
    const RE2 re(clipped, RulePatternOptions());
    REQUIRE(re.ok());
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), re);
  };
  const std::string regex = R"(Connect to (?P<address>[\d.]+)<\d+> failed : (?:timeout|refused)\b)";
  CHECK(matches(regex, "x Connect to 10.0.0.1<77> fai"));
  CHECK(matches(regex, "x Connect to 10.0.0.1<77> failed : refused"));
  CHECK_FALSE(matches(regex, "x Connect to host"));
  CHECK_FALSE(matches(regex, "x Connect to 10.0.0.1<77> went well"));
  CHECK(matches("one two|three four", "and three fo"));
  CHECK_FALSE(matches("^one two", "and one t"));
  CHECK(ClippedRegex("[never closed").empty());
}

TEST_CASE("too little of a literal tells nothing", "[rules]") {
  std::vector<Rule> rules(1);
  LinePattern pattern;
  pattern.literals = {"Cannot re-initialize CUDA in forked subprocess"};
  rules[0].patterns.push_back(pattern);
  const RuleList list(rules);
  const PatternTable table(list);
  ClippedMatch clipped(table);
  const auto shows = [&](std::string_view text, const std::vector<uint32_t>& whole = {}) {
    const std::vector<uint32_t> showing = clipped.Showing(text, whole);
    return showing.size() == 1 && showing[0] == 0 && clipped.Matches(0, text);
  };
  CHECK(shows("RuntimeError: Cannot re-initialize CU"));
  CHECK_FALSE(shows("RuntimeError: Cannot"));
  CHECK_FALSE(shows("RuntimeError: Cannot re-initialize CUPS"));
  CHECK(shows("Cannot re-initialize CUDA in forked subprocess. To use CUDA", {0}));
  CHECK_FALSE(shows("Cannot re-in. To use CUDA", {0}));
  // A sentence that ends with dots, not one that was cut.
  CHECK_FALSE(shows("the engine Cannot re-initialize"));
  CHECK(shows("the engine Cannot re-initialize CUDA"));
}

TEST_CASE("a letter of a regex at the end of a clipped line tells nothing", "[rules]") {
  std::vector<Rule> rules(1);
  LinePattern pattern;
  pattern.literals = {"environment variable"};
  pattern.regex = "nvironment variable:? \\w+ (?:is )?(?:not set|expected)";
  rules[0].patterns.push_back(pattern);
  const RuleList list(rules);
  const PatternTable table(list);
  ClippedMatch clipped(table);
  CHECK_FALSE(clipped.Matches(0, "specific environment variables. The runtime has been initialized already, in"));
  CHECK(clipped.Matches(0, "ValueError: the environment variable RANK"));
}

}  // namespace
}  // namespace ncclwhy
