// Limits of what a report lists, at the border and one beyond: what is not listed is counted.
#include <string>

#include "analyze/job_summary.h"
#include "base/limits.h"
#include "catch.h"

namespace ncclwhy::hostile {
namespace {

// A job with so many connections, of so many kinds.
JobModel Connected(size_t edges, size_t transports) {
  JobModel model;
  model.largest = CommId{0};
  for (size_t i = 0; i < edges; ++i) {
    Edge edge;
    edge.from = static_cast<int32_t>(i);
    edge.to = static_cast<int32_t>(i + 1);
    edge.comm = CommId{0};
    edge.transport = "NET/x" + std::to_string(i % transports);
    model.edges.push_back(std::move(edge));
  }
  return model;
}

TEST_CASE("connections that a report lists", "[hostile]") {
  const Job border = SummariseJob(Connected(limits::kReportEdges, 1), {});
  CHECK(border.edges.size() == limits::kReportEdges);
  CHECK(border.unlisted == 0);
  const Job beyond = SummariseJob(Connected(limits::kReportEdges + 1, 1), {});
  CHECK(beyond.edges.size() == limits::kReportEdges);
  CHECK(beyond.unlisted == 1);
  CHECK(beyond.transports.at("NET/x0") == static_cast<int64_t>(limits::kReportEdges + 1));  // all are counted
}

TEST_CASE("kinds of transport that a report lists", "[hostile]") {
  const Job border = SummariseJob(Connected(limits::kReportTransports, limits::kReportTransports), {});
  CHECK(border.transports.size() == limits::kReportTransports);
  CHECK(border.unlisted == 0);
  const Job beyond = SummariseJob(Connected(limits::kReportTransports + 1, limits::kReportTransports + 1), {});
  CHECK(beyond.transports.size() == limits::kReportTransports);
  CHECK(beyond.unlisted == 1);
}

}  // namespace
}  // namespace ncclwhy::hostile
