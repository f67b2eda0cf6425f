#include "rules/engine/loader.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

std::vector<Diagnostic> Parse(const std::string& json, std::optional<Rule>* rule = nullptr) {
  std::vector<Diagnostic> diagnostics;
  auto parsed = ParseRule(RuleText("catalog/shm/x/rule.json", json), &diagnostics);
  CHECK(parsed.has_value() == !HasErrors(diagnostics));
  if (rule != nullptr) *rule = std::move(parsed);
  return diagnostics;
}

constexpr const char* kHead = R"({"schema":"ncclwhy.rule/1","id":"x","role":"root","title":{"en":"a","zh":"b"})";

TEST_CASE("every key of a rule arrives", "[rules]") {
  std::optional<Rule> rule;
  const auto diagnostics = Parse(std::string(kHead) + R"(,
    "match":[{"literal":["a b","c d"],"regex":"[ac] [bd]","level":["WARN","INFO","WARN"],"dialect":"nccl","file":"socket.cc"}],
    "nccl":"2.4..2.21","needs_version":true,"causes":{"shm.too-small":3.5,"shm.permission":-1},
    "near":[{"literal":"near","scope":"host","within":20,"order":"before"}],
    "unless":[{"literal":"unless","order":"after"}],
    "boost":[{"literal":"boost","scope":"job","causes":{"host.oom":2}}],
    "explains":["net-*"],"blame":"peer","fields":{"limit":"ulimit -l"},"note":{"en":"n","zh":"m"},
    "references":["https://example.com"]})",
                                 &rule);
  CHECK(FormatDiagnostics(diagnostics).empty());
  REQUIRE(rule.has_value());
  CHECK(rule->family == "shm");
  CHECK(rule->patterns.size() == 1);
  CHECK(rule->patterns[0].literals == std::vector<KeptText>{"a b", "c d"});
  CHECK(rule->patterns[0].levels == std::vector<LogLevel>{LogLevel::kWarn, LogLevel::kInfo});
  CHECK(rule->patterns[0].dialects == std::vector<Dialect>{Dialect::kNccl});
  CHECK(rule->patterns[0].file == "socket.cc");
  CHECK(rule->nccl.first == 20400);
  CHECK(rule->nccl.last == 22199);
  CHECK(rule->needs_version);
  REQUIRE(rule->causes.size() == 2);
  CHECK(rule->causes[1].cause == "shm.too-small");
  CHECK(rule->causes[1].log_odds == 3.5);
  REQUIRE(rule->near.size() == 1);
  CHECK(rule->near[0].scope == Scope::kHost);
  CHECK(rule->near[0].within == 20);
  CHECK(rule->near[0].before_only);
  CHECK(rule->unless[0].scope == Scope::kProcess);
  CHECK(rule->unless[0].after_only);
  CHECK(rule->boost[0].causes[0].cause == "host.oom");
  CHECK(rule->explains == std::vector<KeptText>{"net-*"});
  CHECK(rule->blame == Blame::kPeer);
  CHECK(rule->fields[0].second == "ulimit -l");
  CHECK(rule->note_zh == "m");
}

TEST_CASE("what is wrong is refused where it stands", "[rules]") {
  struct Case {
    std::string json;
    std::string code;
    uint32_t line, column;
  };
  const std::string head = kHead;
  const std::vector<Case> cases = {
      {"{\n \"id\": oops}", "R001", 2, 8},
      {"[]", "R004", 0, 0},
      {head + ",\n  \"mach\": []}", "R002", 2, 3},
      {head + "}", "R041", 0, 0},
      {head + ",\n \"match\":[{\"literal\":\"aaaa\"}],\n  \"query\":\"SELECT 1\"}", "R041", 3, 11},
      {head + ",\n \"match\": {}}", "R004", 2, 11},
      {head + ",\n \"match\": [{}]}", "R030", 2, 12},
      {head + ",\n \"match\": [{\"literal\": \"a\", \"level\": \"LOUD\"}]}", "R005", 2, 38},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"sign\": {\"life\": \"gone\"}}", "R005", 2, 48},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"sign\": {\"life\": \"ending\"}}", "R005", 2, 39},
      {head + ",\n \"match\": [{\"literal\": \"a\", \"file\": \"misc/socket.cc\"}]}", "R005", 2, 37},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"causes\": {\"x\": 11}}", "R005", 2, 47},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"near\": [{\"literal\": \"b\", \"within\": 0}]}", "R004", 2, 67},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"near\": [{\"literal\": \"b\", \"causes\": {\"x\": 1}}]}",
       "R002", 2, 67},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"boost\": [{\"literal\": \"b\"}]}", "R003", 2, 41},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"nccl\": \"2\"}", "R005", 2, 39},
      {head + ",\n \"match\": [{\"literal\": \"a\"}], \"note\": {\"en\": \"only\"}}", "R003", 2, 39},
      {head + ",\n \"id\": \"x\",\n \"match\": [{\"literal\": \"a\"}]}", "R006", 1, 2},
      {R"({"schema":"ncclwhy.rule/2","id":"x","role":"root","title":{"en":"a","zh":"b"},"match":[{"literal":"a"}]})",
       "R005", 1, 11},
  };
  for (const Case& c : cases) {
    const auto diagnostics = Parse(c.json);
    INFO(c.json << "\n" << FormatDiagnostics(diagnostics));
    const bool found = std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) {
      return d.code == c.code && (c.code == "R006" || (d.line == c.line && d.column == c.column));
    });
    CHECK(found);
  }
}

TEST_CASE("a diagnostic looks like a compiler's", "[rules]") {
  const auto diagnostics = Parse(
      "{\"schema\":\"ncclwhy.rule/1\",\"id\":\"x\",\"role\":\"root\",\n"
      "  \"title\": {\"en\":\"a\",\"zh\":\"空间不足\", \"de\":\"c\"}, \"match\":[{\"literal\":\"a\"}]}");
  CHECK(FormatDiagnostics(diagnostics) ==
        "catalog/shm/x/rule.json:2:35: error: R002: unknown key \"de\"\n"
        "    2 |   \"title\": {\"en\":\"a\",\"zh\":\"空间不足\", \"de\":\"c\"}, \"match\":[{\"literal\":\"a\"}]}\n"
        "      |                                       ^\n"
        "  help: known keys are en, zh\n");
}

TEST_CASE("the schema for editors knows the same keys as the loader", "[rules]") {
  std::ifstream file(std::string(NCCLWHY_SOURCE_DIR) + "/rules/rule.schema.json");
  const auto schema = nlohmann::json::parse(file);
  const auto keys_of = [](const nlohmann::json& object) {
    std::set<std::string> keys;
    for (const auto& item : object.at("properties").items()) keys.insert(item.key());
    return keys;
  };
  const auto known = [](std::string_view place) {
    const auto& keys = RuleKeys(place);
    return std::set<std::string>(keys.begin(), keys.end());
  };
  CHECK(keys_of(schema) == known("rule"));
  CHECK(keys_of(schema.at("$defs").at("pattern")) == known("match"));
  CHECK(keys_of(schema.at("$defs").at("condition")) == known("condition"));
}

}  // namespace
}  // namespace ncclwhy
