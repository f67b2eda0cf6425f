#include "rules/engine/lint.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "fake_job.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

std::string Codes(const std::vector<Diagnostic>& diagnostics) {
  std::string codes;
  for (const Diagnostic& d : diagnostics) {
    codes += (codes.empty() ? "" : " ") + std::string(d.level == Diagnostic::kError ? "E" : "W") + d.code.substr(1);
  }
  return codes;
}

LinePattern Pattern(std::vector<KeptText> literals, KeptText regex) {
  LinePattern pattern;
  pattern.literals = std::move(literals);
  pattern.regex = std::move(regex);
  return pattern;
}

std::string Repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST_CASE("literals and regexes must fit", "[rules]") {
  struct Case {
    LinePattern pattern;
    std::string codes;
  };
  const std::vector<Case> cases = {
      {Pattern({"Call to connect failed"}, ""), ""},
      {Pattern({"failed to extend "}, R"(failed to extend (?P<path>\S+) to (?P<size>\d+) bytes)"), ""},
      {Pattern({" bytes"}, R"(failed to extend (?P<path>\S+) to (?P<size>\d+) bytes)"), ""},
      {Pattern({"send failed", "recv failed"}, R"((?:send|recv) failed)"), ""},
      {Pattern({" failed"}, R"((?:send|recv) failed)"), ""},
      {Pattern({"send failed"}, R"((?:send|recv) failed)"), "W032"},  // misses recv
      {Pattern({"attach"}, R"(extend \S+ to)"), "W032"},
      {Pattern({"could not extend "}, R"(extend (?P<path>\S+) to)"), ""},  // asks for more than the regex
      {Pattern({"first", "second"}, R"((?:first|second|third) time)"), "W032"},
      {Pattern({}, R"(connect to \S+ failed)"), "E031"},
      {Pattern({}, R"(\d+)"), "E031"},
      {Pattern({"xx"}, ""), "W036"},
      {Pattern({"a\tbcd"}, ""), "E038"},
      {Pattern({"abcd"}, R"(abcd()"), "E033"},
      {Pattern({"abcd"}, R"(abcd(?=x))"), "E033"},
      {Pattern({"abcd"}, R"(abcd(?:(?:x{1,100}){1,100}){1,100})"), "E033"},
      {Pattern({"abcd"}, "abcd" + Repeated("[a-c]{1000}", 120)), "E034"},
      {Pattern({"abcd"}, R"(abcd(?:[a-zA-Z]{1,900} ){1}(?:[0-9a-f]{1,900}:))"), "W036"},
      {Pattern({"abcd"}, "abcd" + std::string(5000, 'x')), "E034"},
      {Pattern({"abcd"}, R"(abcd (?P<nonsense>\d+))"), "E035"},
      {Pattern({"abcd"}, R"(abcd (\d+))"), "W036"},
      {Pattern({"abcd"}, R"(.*abcd)"), "W036"},
      {Pattern({"abcd"}, R"((?i)abcd)"), "W036"},
  };
  for (const Case& c : cases) {
    std::vector<Diagnostic> diagnostics;
    LintPattern(c.pattern, RuleText(), "/match/0", &diagnostics);
    INFO(c.pattern.regex << "\n" << FormatDiagnostics(diagnostics));
    CHECK(Codes(diagnostics) == c.codes);
  }
}

TEST_CASE("the missing literal is suggested", "[rules]") {
  CHECK(RequiredLiteral(R"(failed to extend (?P<path>\S+) to)") == "failed to extend ");
  CHECK(RequiredLiteral(R"(a+ bcde? fghij\.k)") == " fghij.k");
  CHECK(RequiredLiteral(R"([a-z]+ socket\d)") == " socket");
  CHECK(RequiredLiteral(R"(this|that)").empty());
}

// A catalogue with one good rule, to be broken by each case in one place.
struct Catalog {
  TempDirectory directory;
  std::string Rule(const std::string& id, const std::string& more) {
    return R"({"schema":"ncclwhy.rule/1","id":")" + id + R"(","role":"root","title":{"en":"a","zh":"b"},)" + more + "}";
  }
  void Add(const std::string& folder, const std::string& json, bool logs = true) {
    directory.Write("fam/" + folder + "/rule.json", json);
    if (!logs) return;
    directory.Write("fam/" + folder + "/fires-a.log", "text\n");
    directory.Write("fam/" + folder + "/silent-a.log", "text\n");
  }
  std::string Lint(const LintOptions& options, size_t expected_rules) {
    std::vector<Diagnostic> diagnostics;
    CHECK(LoadCatalog(directory.path(), options, &diagnostics).size() == expected_rules);
    INFO(FormatDiagnostics(diagnostics));
    return Codes(diagnostics);
  }
};

TEST_CASE("rules are checked together and against the knowledge base", "[rules]") {
  const CauseSet causes = {"shm.too-small", "net.unreachable"};
  LintOptions options;
  options.causes = &causes;
  options.further_rules = {"elsewhere-1"};
  const std::string match = R"("match":[{"literal":"some text"}],"causes":{"shm.too-small":3})";
  struct Case {
    const char* what;
    std::string folder, id, more, codes;
    size_t rules;
  };
  const std::vector<Case> cases = {
      {"good", "good-one", "good-one", match, "", 1},
      {"id is not the folder", "good-one", "good-two", match, "E010", 0},
      {"id is no slug", "Good_One", "Good_One", match, "E012", 0},
      {"unknown cause", "r", "r", R"("match":[{"literal":"some text"}],"causes":{"shm.to-small":3})", "E020", 0},
      {"unknown cause in boost", "r", "r", match + R"(,"boost":[{"literal":"other","causes":{"nope":1}}])", "E020", 0},
      {"explains nothing", "r", "r", match + R"(,"explains":["net-*"])", "W050", 1},
      {"explains a rule elsewhere", "r", "r", match + R"(,"explains":["elsewhere-*"])", "", 1},
      {"explains itself", "r", "r", match + R"(,"explains":["r"])", "W051", 1},
      {"no URL", "r", "r", match + R"(,"references":["see the manual"])", "E060", 0},
      {"blames an unknown peer", "r", "r", match + R"(,"blame":"peer")", "W074 W023", 1},
      {"blames a captured peer", "r", "r",
       R"x("match":[{"literal":"from ","regex":"from (?P<address>\\S+)"}],"blame":"peer","causes":{"net.unreachable":1})x",
       "W074", 1},  // no expect.json
      {"root without cause", "r", "r", R"("match":[{"literal":"some text"}])", "W022", 1},
      {"unknown template name", "r", "r", match + R"(,"note":{"en":"{nope}","zh":"x"})", "E080", 0},
      {"unknown field", "r", "r", match + R"(,"fields":{"nope":"x"})", "E080", 0},
      {"no SELECT", "r", "r", R"("query":"DELETE FROM event")", "W074 E040", 0},
      {"order within one line", "r", "r", match + R"(,"near":[{"literal":"other","scope":"line","order":"before"}])",
       "E024", 0},
  };
  for (const Case& c : cases) {
    Catalog catalog;
    catalog.Add(c.folder, catalog.Rule(c.id, c.more));
    INFO(c.what);
    CHECK(catalog.Lint(options, c.rules) == c.codes);
  }

  SECTION("two rules of one id") {
    Catalog catalog;
    catalog.Add("r", catalog.Rule("r", match));
    catalog.directory.Write("other/r/rule.json", catalog.Rule("r", match));
    catalog.directory.Write("other/r/fires.log", "x");
    catalog.directory.Write("other/r/silent.log", "x");
    CHECK(catalog.Lint(options, 1) == "E011");
  }
  SECTION("logs") {
    Catalog catalog;
    catalog.Add("r", catalog.Rule("r", match), false);
    CHECK(catalog.Lint(options, 0) == "E070 E071");
    catalog.directory.Write("fam/r/fires-x/rank0.log", "x");
    catalog.directory.Write("fam/r/silent-y.log", "");
    CHECK(catalog.Lint(options, 0) == "E072");
    catalog.directory.Write("fam/r/silent-y.log", "x");
    CHECK(catalog.Lint(options, 1).empty());
    catalog.directory.Write("fam/r/fire-x.log", "x");
    CHECK(catalog.Lint(options, 1) == "W073");
  }
  SECTION("who finds out whom to blame says whom in each case that fires") {
    Catalog catalog;
    const char* const blames =
        R"x("match":[{"literal":"from ","regex":"from (?P<address>\\S+)"}],"blame":"peer","causes":{"net.unreachable":1})x";
    catalog.Add("r", catalog.Rule("r", blames));
    CHECK(catalog.Lint(options, 1) == "W074");
    catalog.directory.Write("fam/r/expect.json", R"({"fires-b": {"rank": 3}})");
    CHECK(catalog.Lint(options, 1) == "W074 W074");  // a name that is no case, and one that is missing
    catalog.directory.Write("fam/r/expect.json", R"({"fires-a": []})");
    CHECK(catalog.Lint(options, 1).empty());
  }
  SECTION("logs without rule.json") {
    Catalog catalog;
    catalog.Add("r", catalog.Rule("r", match));
    catalog.directory.Write("fam/s/fires-a.log", "x");
    CHECK(catalog.Lint(options, 1) == "E003");
  }
  SECTION("nothing at all") {
    Catalog catalog;
    CHECK(catalog.Lint(options, 0) == "E001");
  }
  SECTION("a query is tried when there is something to try it on") {
    Catalog catalog;
    catalog.Add("r", catalog.Rule("r", R"("query":"SELECT nothing FROM nowhere")"));
    options.query = [](std::string_view) -> Result<std::vector<QueryRow>> {
      return Status::InvalidArgument("no such table: nowhere");
    };
    CHECK(catalog.Lint(options, 0) == "W074 E042");
  }
}

}  // namespace
}  // namespace ncclwhy
