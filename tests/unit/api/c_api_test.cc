#include <cstring>
#include <string>

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
  CHECK(std::string(ncclwhy_analyzer_error(h.analyzer)) == "there is no option 'colour'");
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

TEST_CASE("the library knows its version", "[api]") { CHECK(std::string(ncclwhy_version()) == NCCLWHY_VERSION); }

}  // namespace
