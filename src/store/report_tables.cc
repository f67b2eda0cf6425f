#include "store/report_tables.h"

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analyze/answer_names.h"
#include "store/json_text.h"

namespace ncclwhy {
namespace {

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
  auto prepared = Insert::Prepare(database, "INSERT INTO _cause VALUES (?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  int64_t position = 0;
  for (const Cause& cause : report.causes) {
    const std::string culprits = CulpritsJson(cause.culprits);
    insert.Integer(++position).Text(cause.id).Text(cause.title).Real(cause.confidence).TextOrNull(cause.summary);
    insert.Text(culprits).TextOrNull(cause.why_not);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status AddOutcomeRow(Database& database, const Report& report) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _outcome VALUES (?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  insert.Text(OutcomeName(report.outcome)).Text(VerdictName(report.verdict)).TextOrNull(report.progress);
  if (report.decision) {
    insert.Text(ActionName(report.decision->action)).Real(report.decision->confidence);
    insert.TextOrNull(report.decision->why).TextOrNull(report.decision->command);
  } else {
    insert.Null().Null().Null().Null();
  }
  return insert.Run();
}

Status AddAttemptRows(Database& database, const Report& report) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _attempt VALUES (NULL,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const Attempt& a : report.attempts) {
    insert.Text(OutcomeName(a.outcome)).TextOrNull(a.cause).TextOrNull(a.file);
    insert.IntegerOrNull(static_cast<int64_t>(a.first_line), 0).IntegerOrNull(static_cast<int64_t>(a.last_line), 0);
    insert.TextOrNull(a.sentence);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status AddStepRows(Database& database, const Report& report) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _step VALUES (NULL,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const TimelineStep& step : report.timeline) {
    insert.Text(step.kind).TextOrNull(step.time);
    step.seconds < 0 ? insert.Null() : insert.Real(step.seconds);
    insert.IntegerOrNull(step.rank).TextOrNull(step.host).Text(step.what).TextOrNull(step.file);
    insert.IntegerOrNull(static_cast<int64_t>(step.line), 0).TextOrNull(step.text);
    insert.Integer(static_cast<int64_t>(step.count));
    if (Status status = insert.Run(); !status.ok()) return status;
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
