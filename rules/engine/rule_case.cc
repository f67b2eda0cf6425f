#include "rules/engine/rule_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// By name: cases run in the same order everywhere.
std::vector<fs::path> SortedEntries(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// One {"rank": 3, "host": "a"} or a list of them.
// Nothing for anything else: a misspelt member must not expect less than its author meant.
std::optional<std::vector<RuleCase::Who>> ReadWho(const nlohmann::json& value) {
  std::vector<RuleCase::Who> who;
  for (const nlohmann::json& one : value.is_array() ? value : nlohmann::json::array({value})) {
    if (!one.is_object()) return std::nullopt;
    RuleCase::Who w;
    for (auto it = one.begin(); it != one.end(); ++it) {
      if (it.key() == "rank" && it->is_number_integer()) {
        w.rank = it->get<int32_t>();
      } else if (it.key() == "host" && it->is_string()) {
        w.host = it->get<std::string>();
      } else {
        return std::nullopt;
      }
    }
    who.push_back(std::move(w));
  }
  return who;
}

}  // namespace

// A case is a log, or a folder of logs of one job: fires-2.28.log, silent-two-hosts/rank0.log.
std::vector<RuleCase> FindRuleCases(std::string_view rule_id, std::string_view rule_file,
                                    std::vector<std::string>* complaints) {
  std::vector<RuleCase> cases;
  const fs::path expectations = fs::path(rule_file).parent_path() / "expect.json";
  nlohmann::json expected = nlohmann::json::object();
  std::error_code none;
  if (fs::exists(expectations, none)) {
    std::ifstream file(expectations);
    expected = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
    if (!expected.is_object()) {
      if (complaints != nullptr) complaints->push_back(expectations.generic_string() + ": is no JSON object");
      expected = nlohmann::json::object();
    }
  }
  for (const fs::path& entry : SortedEntries(fs::path(rule_file).parent_path())) {
    const std::string name = entry.filename().string();
    RuleCase test;
    test.rule = rule_id;
    test.fires = name.starts_with("fires");
    if (!test.fires && !name.starts_with("silent")) continue;
    std::error_code error;
    if (fs::is_directory(entry, error)) {
      test.name = name;
      for (const fs::path& log : SortedEntries(entry)) test.files.push_back(log.generic_string());
    } else {
      // fires-2.28.log: its stem keeps the version, as only the last point counts.
      test.name = entry.stem().string();
      test.files.push_back(entry.generic_string());
    }
    if (const auto it = expected.find(test.name); test.fires && it != expected.end()) {
      test.blames = ReadWho(*it);
      // What is left in the end was meant for a case that is not there.
      if (test.blames) expected.erase(it);
    }
    if (!test.files.empty()) cases.push_back(std::move(test));
  }
  // What no case took: a name that was misspelt would else never be checked.
  for (auto it = expected.begin(); complaints != nullptr && it != expected.end(); ++it) {
    complaints->push_back(fmt::format("{}: \"{}\" is no case that fires, or does not say whom it blames",
                                      expectations.generic_string(), it.key()));
  }
  return cases;
}

// Warnings and context blame nobody; a rule that blames its own line cannot blame a wrong one.
bool MustExpect(const Rule& rule) {
  if (rule.role == Role::kWarning || rule.role == Role::kBenign || rule.role == Role::kContext) return false;
  return !rule.query.empty() || rule.blame == Blame::kPeer || rule.blame == Blame::kConnection ||
         rule.blame == Blame::kField;
}

}  // namespace ncclwhy
