#include "serve/metrics.h"

#include <algorithm>
#include <sstream>

#include "catch.h"

namespace ncclwhy {
namespace {

bool Has(const std::string& text, const std::string& line) {
  std::istringstream in(text);
  for (std::string have; std::getline(in, have);) {
    if (have == line) return true;
  }
  return false;
}

TEST_CASE("metrics count and sum", "[serve]") {
  Metrics metrics;
  metrics.CountResponse("/analyze", 200);
  metrics.CountResponse("/analyze", 200);
  metrics.CountResponse("/any/path/of\na\"client", 404);
  metrics.CountReport("failure", "shm.too-small", 100, std::chrono::milliseconds(20));
  metrics.CountReport("failure", "odd\"\\\nid", 11, std::chrono::seconds(40));
  metrics.CountReport("healthy", "", 1, std::chrono::milliseconds(10));
  const std::string text = metrics.Text(2, 7);
  for (const char* line : {
           "ncclwhy_http_responses_total{path=\"/analyze\",code=\"200\"} 2",
           "ncclwhy_http_responses_total{path=\"other\",code=\"404\"} 1",
           "ncclwhy_reports_total{verdict=\"failure\"} 2",
           "ncclwhy_reports_total{verdict=\"healthy\"} 1",
           "ncclwhy_causes_total{cause=\"shm.too-small\"} 1",
           "ncclwhy_causes_total{cause=\"odd\\\"\\\\\\nid\"} 1",
           "ncclwhy_log_bytes_total 112",
           "ncclwhy_report_seconds_bucket{le=\"0.01\"} 1",
           "ncclwhy_report_seconds_bucket{le=\"0.03\"} 2",
           "ncclwhy_report_seconds_bucket{le=\"30\"} 2",
           "ncclwhy_report_seconds_bucket{le=\"+Inf\"} 3",
           "ncclwhy_report_seconds_sum 40.030000",
           "ncclwhy_report_seconds_count 3",
           "ncclwhy_analyses_running 2",
           "ncclwhy_analyses_waiting 7",
       }) {
    INFO(line);
    CHECK(Has(text, line));
  }
}

}  // namespace
}  // namespace ncclwhy
