// What documents list is what there is.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "catch.h"
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

TEST_CASE("the C API knows the verdicts of the library", "[api]") {
  const auto members = [](const std::string& file, const std::string& begin, const std::string& end) {
    const std::string text = ReadFile(file);
    const size_t from = text.find(begin);
    REQUIRE(from != std::string::npos);
    const std::string part = text.substr(from, text.find(end, from) - from);
    return std::count(part.begin(), part.end(), ',') + 1;
  };
  const auto verdicts = members("src/include/ncclwhy/report.h", "enum class Verdict", "};");
  CHECK(members("src/include/ncclwhy/ncclwhy.h", "typedef enum ncclwhy_verdict", "}") == verdicts);
}

}  // namespace
}  // namespace ncclwhy
