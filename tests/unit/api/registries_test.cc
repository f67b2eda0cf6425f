// What documents list is what there is.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "catch.h"
#include "report/renderer.h"
#include "store/schema_parts.h"

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

TEST_CASE("documents and headers name every output format, and no other", "[api]") {
  const std::vector<std::string> names = FormatNames();
  const std::set<std::string> all(names.begin(), names.end());
  CHECK(WordsBetween(ReadFile("README.md"), "ncclwhy --format markdown -o why.md .", "\n") == all);
  CHECK(WordsBetween(ReadFile("src/include/ncclwhy/analyzer.h"), "// `format`:", ".") == all);
  CHECK(WordsBetween(ReadFile("src/include/ncclwhy/ncclwhy.h"), "/* Renders as", ".") == all);
  CHECK(WordsBetween(ReadFile("samples/python/ncclwhy.py"),
                     "def render(self, format=\"text\"):\n        \"\"\"A str:", ".") == all);
}

TEST_CASE("the help of query names every public view, and no other", "[api]") {
  std::set<std::string> views;
  for (const SchemaPart& part : SchemaParts()) {
    if (IsPublicView(part.name)) views.insert(part.name);
  }
  CHECK(views.size() > 10);
  CHECK(WordsBetween(ReadFile("src/cli/cmd_query.cc"), "Public views:", ".") == views);
}

TEST_CASE("the C API and Python know the verdicts and codes of the library", "[api]") {
  const auto members = [](const std::string& file, const std::string& begin, const std::string& end) {
    const std::string text = ReadFile(file);
    const size_t from = text.find(begin);
    REQUIRE(from != std::string::npos);
    const std::string part = text.substr(from, text.find(end, from) - from);
    return std::count(part.begin(), part.end(), ',') + 1;
  };
  const auto verdicts = members("src/include/ncclwhy/report.h", "enum class Verdict", "};");
  CHECK(members("src/include/ncclwhy/ncclwhy.h", "typedef enum ncclwhy_verdict", "}") == verdicts);
  CHECK(members("samples/python/ncclwhy.py", "VERDICTS = (", ")") == verdicts);
}

}  // namespace
}  // namespace ncclwhy
