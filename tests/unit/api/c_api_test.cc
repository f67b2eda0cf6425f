#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.h"
#include "ncclwhy/ncclwhy.h"
#include "ncclwhy/version.h"

namespace {

struct Handles {
  ncclwhy_analyzer* analyzer = ncclwhy_analyzer_new();
  ncclwhy_report* report = nullptr;
  ~Handles() {
    ncclwhy_report_free(report);
    ncclwhy_analyzer_free(analyzer);
  }
};

ncclwhy_code Set(ncclwhy_analyzer* analyzer, const char* name, const char* value) {
  return ncclwhy_analyzer_set(analyzer, name, std::strlen(name), value, std::strlen(value));
}

TEST_CASE("a report through the C API", "[api]") {
  Handles h;
  const std::string log =
      "node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
      "node1:7:7 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-a to 9637892 bytes, error: No "
      "space left on device (28)\n";
  REQUIRE(Set(h.analyzer, "language", "en") == NCCLWHY_OK);
  REQUIRE(ncclwhy_analyzer_begin(h.analyzer, "rank0", 5) == NCCLWHY_OK);
  REQUIRE(ncclwhy_analyzer_push(h.analyzer, log.data(), log.size()) == NCCLWHY_OK);
  REQUIRE(ncclwhy_analyzer_end(h.analyzer) == NCCLWHY_OK);
  REQUIRE(ncclwhy_analyzer_finish(h.analyzer, &h.report) == NCCLWHY_OK);
  CHECK(std::string(ncclwhy_report_cause(h.report)) == "shm.too-small");
  CHECK(ncclwhy_report_verdict(h.report) == NCCLWHY_VERDICT_FAILURE);
  CHECK(ncclwhy_report_confidence(h.report) > 0);
  CHECK(ncclwhy_report_exit_status(h.report) == 1);

  const char* text = nullptr;
  size_t length = 0;
  REQUIRE(ncclwhy_report_render(h.report, "json", 4, &text, &length) == NCCLWHY_OK);
  CHECK(std::strlen(text) == length);
  CHECK(std::string(text).find("\"ncclwhy.report/1\"") != std::string::npos);
  CHECK(ncclwhy_report_render(h.report, "pdf", 3, &text, &length) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(text == nullptr);
}

TEST_CASE("wrong use is a code and a sentence, never a crash", "[api]") {
  Handles h;
  CHECK(Set(h.analyzer, "colour", "red") == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(std::string(ncclwhy_analyzer_error(h.analyzer)).starts_with("there is no option 'colour'"));
  CHECK(Set(h.analyzer, "top", "many") == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(Set(h.analyzer, "language", "fr") == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(Set(h.analyzer, "top", "2") == NCCLWHY_OK);
  CHECK(std::string(ncclwhy_analyzer_error(h.analyzer)).empty());
  CHECK(ncclwhy_analyzer_push(h.analyzer, "x", 1) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(Set(h.analyzer, "top", "3") == NCCLWHY_ERROR_INVALID_ARGUMENT);  // too late
  CHECK(ncclwhy_analyzer_finish(h.analyzer, nullptr) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(ncclwhy_analyzer_finish(nullptr, &h.report) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(h.report == nullptr);
  CHECK(ncclwhy_report_render(nullptr, "json", 4, nullptr, nullptr) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(std::string(ncclwhy_report_cause(nullptr)).empty());
  CHECK(ncclwhy_report_exit_status(nullptr) == 2);
  ncclwhy_report_free(nullptr);
  ncclwhy_analyzer_free(nullptr);
}

TEST_CASE("explanations and comparisons through the C API", "[api]") {
  Handles h;
  const char* text = nullptr;
  size_t length = 0;
  REQUIRE(ncclwhy_explain(h.analyzer, "shm.too-small", 13, &text, &length) == NCCLWHY_OK);
  CHECK(std::string(text, length).starts_with("shm.too-small"));
  CHECK(Set(h.analyzer, "language", "zh") == NCCLWHY_OK);  // nothing was begun by that
  REQUIRE(ncclwhy_explain(h.analyzer, nullptr, 0, &text, nullptr) == NCCLWHY_OK);
  CHECK(std::string(text).find("shm.too-small") != std::string::npos);
  CHECK(ncclwhy_explain(h.analyzer, "shm.tiny", 8, &text, &length) == NCCLWHY_ERROR_NOT_FOUND);
  CHECK(text == nullptr);
  CHECK(std::string(ncclwhy_analyzer_error(h.analyzer)).find("shm.too-small") != std::string::npos);
  CHECK(ncclwhy_explain(h.analyzer, "x", 1, nullptr, nullptr) == NCCLWHY_ERROR_INVALID_ARGUMENT);

  const std::string path = std::string(NCCLWHY_SOURCE_DIR) + "/rules/catalog/shm";
  int differ = -1;
  REQUIRE(ncclwhy_diff(h.analyzer, path.data(), path.size(), path.data(), path.size(), "json", 4, &differ, &text,
                       &length) == NCCLWHY_OK);
  CHECK(differ == 0);
  CHECK(std::string(text, length).find("\"ncclwhy.diff/1\"") != std::string::npos);
  CHECK(ncclwhy_diff(h.analyzer, "-", 1, "-", 1, "text", 4, nullptr, &text, &length) == NCCLWHY_ERROR_INVALID_ARGUMENT);
  CHECK(ncclwhy_diff(nullptr, "a", 1, "b", 1, "text", 4, nullptr, &text, &length) == NCCLWHY_ERROR_INVALID_ARGUMENT);
}

// Words that stand behind "`name` is one of" in the header.
std::vector<std::string> NamesInHeader() {
  std::ifstream file(std::string(NCCLWHY_SOURCE_DIR) + "/src/include/ncclwhy/ncclwhy.h");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t from = text.find("`name` is one of") + 16;
  std::vector<std::string> names;
  bool inside = false;  // of brackets, which say what values are
  std::string word;
  for (size_t i = from; i < text.size() && text.compare(i, 2, "*/") != 0; ++i) {
    const char c = text[i];
    if (c == '(') inside = true;
    if (c >= 'a' && c <= 'z' && !inside) {
      word += c;
      continue;
    }
    if (c == ')') inside = false;
    if (!word.empty()) names.push_back(word);
    word.clear();
  }
  return names;
}

TEST_CASE("the header names the options that there are", "[api]") {
  Handles h;
  REQUIRE(Set(h.analyzer, "colour", "red") == NCCLWHY_ERROR_INVALID_ARGUMENT);
  std::string listed;
  for (const std::string& name : NamesInHeader()) listed += (listed.empty() ? "" : ", ") + name;
  CHECK(std::string(ncclwhy_analyzer_error(h.analyzer)) == "there is no option 'colour'; known are " + listed);
}

TEST_CASE("the library knows its version", "[api]") { CHECK(std::string(ncclwhy_version()) == NCCLWHY_VERSION); }

}  // namespace
