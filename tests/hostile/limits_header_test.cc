// The header of limits itself: no limit without its reason, and none that no test names.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy::hostile {
namespace {

namespace fs = std::filesystem;

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

struct Limit {
  std::string name;
  bool explained = false;  // by a comment above it, or above the one that it follows
};

std::vector<Limit> Limits() {
  std::ifstream header(NCCLWHY_SOURCE_DIR "/src/base/limits.h");
  std::vector<Limit> out;
  bool explained = false;
  for (std::string line; std::getline(header, line);) {
    if (line.rfind("//", 0) == 0) explained = true;
    if (line.empty()) explained = false;
    if (line.rfind("inline constexpr ", 0) != 0) continue;
    const size_t begin = line.find(" k") + 1;
    out.push_back({line.substr(begin, line.find(' ', begin) - begin), explained});
  }
  return out;
}

bool Names(const std::string& text, const std::string& name) {
  const std::string whole = "limits::" + name;
  for (size_t at = text.find(whole); at != std::string::npos; at = text.find(whole, at + 1)) {
    const char next = at + whole.size() < text.size() ? text[at + whole.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) == 0) return true;
  }
  return false;
}

TEST_CASE("every limit has a reason and a test that names it", "[hostile]") {
  std::string tests;
  for (const char* folder : {"hostile", "unit", "faults"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NCCLWHY_SOURCE_DIR) / "tests" / folder)) {
      if (entry.path().extension() == ".cc") tests += Slurp(entry.path());
    }
  }
  const std::vector<Limit> limits = Limits();
  REQUIRE(limits.size() > 40);
  for (const Limit& limit : limits) {
    CAPTURE(limit.name);
    CHECK(limit.explained);
    CHECK(Names(tests, limit.name));
  }
}

}  // namespace
}  // namespace ncclwhy::hostile
