// What documents list is what there is.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "ncclwhy/ncclwhy.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

std::string ReadFile(const std::string& name) {
  std::ifstream file(std::string(NCCLWHY_SOURCE_DIR) + "/" + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The words between `begin` and `end`, without "or" and what is in brackets.
std::set<std::string> WordsBetween(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  std::string part = text.substr(from + begin.size(), text.find(end, from) - from - begin.size());
  int depth = 0;  // of brackets, which hold remarks
  for (char& c : part) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 0 || ((c < 'a' || c > 'z') && c != '_')) c = ' ';
  }
  std::istringstream in(part);
  std::set<std::string> words;
  for (std::string word; in >> word;) {
    if (word != "or") words.insert(word);
  }
  return words;
}

// Only `--help` lists all of them: a new format need not touch a document.
TEST_CASE("the README names no output format that is not there", "[api]") {
  const std::vector<std::string> names = FormatNames();
  const std::set<std::string> all(names.begin(), names.end());
  const std::set<std::string> named =
      WordsBetween(ReadFile("README.md"), "ncclwhy --format markdown -o why.md .", "\n");
  CHECK(named.size() > 3);
  CHECK(std::includes(all.begin(), all.end(), named.begin(), named.end()));
}

// "Renders as text (the short answer), full (all of it as text), json, markdown, html or another format that"
TEST_CASE("the C header names no output format that is not there", "[api]") {
  const std::vector<std::string> names = FormatNames();
  const std::set<std::string> all(names.begin(), names.end());
  const std::set<std::string> named =
      WordsBetween(ReadFile("src/include/ncclwhy/ncclwhy.h"), "Renders as ", " or another");
  CHECK(named.size() > 3);
  CHECK(std::includes(all.begin(), all.end(), named.begin(), named.end()));
}

TEST_CASE("the C header lists the options that there are", "[api]") {
  ncclwhy_analyzer* const analyzer = ncclwhy_analyzer_new();
  CHECK(ncclwhy_analyzer_set(analyzer, "none", 4, "", 0) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  const std::string said = ncclwhy_analyzer_error(analyzer);
  ncclwhy_analyzer_free(analyzer);
  const std::set<std::string> known = WordsBetween(said + ".", "known are ", ".");
  CHECK(known.size() > 5);
  CHECK(WordsBetween(ReadFile("src/include/ncclwhy/ncclwhy.h"), "`name` is one of", ".\n */") == known);
}

// The members of an enumeration in their order: "kNoNccl" and "NCCLWHY_VERDICT_NO_NCCL = 3" are NO_NCCL.
std::vector<std::string> Members(const std::string& file, const std::string& begin, const std::string& prefix) {
  const std::string text = ReadFile(file);
  const size_t from = text.find('{', text.find(begin));
  REQUIRE(from != std::string::npos);
  std::istringstream in(text.substr(from + 1, text.find('}', from) - from - 1));
  std::vector<std::string> members;
  for (std::string member; std::getline(in, member, ',');) {
    member.erase(0, member.find_first_not_of(" \n"));
    member = member.substr(0, member.find_first_of(" =\n"));
    REQUIRE(member.starts_with(prefix));
    std::string name;
    for (const char c : member.substr(prefix.size())) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (prefix == "k" && upper && !name.empty()) name += '_';
      name += upper || c == '_' ? c : static_cast<char>(c - 'a' + 'A');
    }
    members.push_back(name);
  }
  return members;
}

TEST_CASE("the C API has the enumerations of the library", "[api]") {
  const std::string c = "src/include/ncclwhy/ncclwhy.h";
  const std::string report = "src/include/ncclwhy/report.h";
  CHECK(Members(c, "typedef enum ncclwhy_verdict", "NCCLWHY_VERDICT_") == Members(report, "enum class Verdict", "k"));
  CHECK(Members(c, "typedef enum ncclwhy_outcome", "NCCLWHY_OUTCOME_") == Members(report, "enum class Outcome", "k"));
  CHECK(Members(c, "typedef enum ncclwhy_action", "NCCLWHY_ACTION_") == Members(report, "enum class Action", "k"));
  // The numbers are the order, which the library casts.
  CHECK(NCCLWHY_VERDICT_DEGRADED == static_cast<int>(Verdict::kDegraded));
  CHECK(NCCLWHY_OUTCOME_UNKNOWN == static_cast<int>(Outcome::kUnknown));
  CHECK(NCCLWHY_ACTION_FIX_FIRST == static_cast<int>(Action::kFixFirst));
}

}  // namespace
}  // namespace ncclwhy
