#include "store/report_tables.h"

#include <array>
#include <map>
#include <string>
#include <vector>

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

constexpr std::array<ReportTable, 1> kTables = {{
    {"_cause", AddCauseRows},
}};

}  // namespace

std::span<const ReportTable> ReportTables() { return kTables; }

}  // namespace ncclwhy
