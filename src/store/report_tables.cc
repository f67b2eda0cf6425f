#include "store/report_tables.h"

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analyze/answer_names.h"
#include "store/json_text.h"
#include "store/row_writer.h"

namespace ncclwhy {
namespace {

//    [{"host":"node07","rank":3}]
// Members that are not known are left out: a culprit may be a host, or a cable, without a rank.
std::string CulpritsJson(const std::vector<Culprit>& culprits) {
  std::string out = "[";
  for (const Culprit& c : culprits) {
    if (out.size() > 1) out += ',';
    std::map<std::string, std::string> members;
    if (c.rank >= 0) members["rank"] = std::to_string(c.rank);
    if (!c.host.empty()) members["host"] = c.host;
    if (c.pid >= 0) members["pid"] = std::to_string(c.pid);
    if (c.gpu >= 0) members["gpu"] = std::to_string(c.gpu);
    if (!c.device.empty()) members["device"] = c.device;
    if (!c.why.empty()) members["why"] = c.why;
    out += JsonObject(members);
  }
  return out + "]";
}

Status AddCauseRows(Database& database, const Report& report) {
  RowWriter rows(database, "_cause");
  // From 1, the named cause first.
  int64_t position = 0;
  for (const Cause& cause : report.causes) {
    Status status =
        rows.Add("position", ++position, "id", cause.id, "title", cause.title, "confidence", cause.confidence,
                 "summary?", cause.summary, "culprits", CulpritsJson(cause.culprits), "why_not?", cause.why_not);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status AddOutcomeRow(Database& database, const Report& report) {
  // None where there is nothing to decide: a job that succeeded.
  const bool decided = report.decision.has_value();
  const Decision decision = report.decision.value_or(Decision());
  return RowWriter(database, "_outcome")
      .Add("outcome", OutcomeName(report.outcome), "verdict", VerdictName(report.verdict), "progress?", report.progress,
           "decision?", decided ? ActionName(decision.action) : "", "decision_confidence?",
           decided ? decision.confidence : -1.0, "decision_why?", decision.why, "decision_command?", decision.command);
}

Status AddAttemptRows(Database& database, const Report& report) {
  RowWriter rows(database, "_attempt");
  for (const Attempt& a : report.attempts) {
    Status status = rows.Add("outcome", OutcomeName(a.outcome), "cause?", a.cause, "file?", a.file, "first_line?",
                             a.first_line, "last_line?", a.last_line, "sentence?", a.sentence);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status AddStepRows(Database& database, const Report& report) {
  RowWriter rows(database, "_step");
  for (const TimelineStep& step : report.timeline) {
    Status status = rows.Add("kind", step.kind, "time?", step.time, "seconds?", step.seconds, "rank?", step.rank,
                             "host?", step.host, "what", step.what, "file?", step.file, "line?", step.line, "text?",
                             step.text, "count", step.count);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

constexpr std::array<ReportTable, 4> kTables = {{
    {"_outcome", AddOutcomeRow},
    {"_attempt", AddAttemptRows},
    {"_step", AddStepRows},
    {"_cause", AddCauseRows},
}};

}  // namespace

std::span<const ReportTable> ReportTables() { return kTables; }

}  // namespace ncclwhy
