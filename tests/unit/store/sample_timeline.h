// What tests of the store share: a folder, rows as text, and a timeline with the sample job and an answer in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "store/sample_job.h"
#include "store/store.h"

namespace ncclwhy {

namespace fs = std::filesystem;

// A directory that goes away.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-store-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string File(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Rows as text: cells joined by '|', rows by newlines; NULL is '-'.
inline std::string Show(const Result<QueryTable>& table) {
  if (!table.ok()) return "error: " + table.status().message();
  std::string out;
  for (const auto& row : table.value().rows) {
    if (!out.empty()) out += '\n';
    for (size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : "|") + row[i].value_or("-");
  }
  return out;
}

inline std::string Show(const Result<std::vector<QueryRow>>& rows) {
  if (!rows.ok()) return "error: " + rows.status().message();
  std::string out;
  for (const QueryRow& row : rows.value()) {
    if (!out.empty()) out += '\n';
    for (size_t i = 0; i < row.columns.size(); ++i) out += (i == 0 ? "" : "|") + row.columns[i].second;
  }
  return out;
}

inline std::unique_ptr<Timeline> Open(const std::string& path) {
  auto timeline = OpenTimeline(path);
  INFO(timeline.status().message());
  REQUIRE(timeline.ok());
  return timeline.take();
}

inline std::vector<Finding> SampleFindings() {
  Finding f;
  f.role = Role::kSymptom;
  f.causes = {{"ib.retry-exceeded", 2.5}, {"ib.link-down", 1}};
  f.source = SourceId{1};
  f.line = 9;
  f.process = ProcessId{1};
  f.rank = 1;
  f.host = "node-b";
  f.text = "Got completion";
  f.fields = {{"status", "12"}};
  return {f};
}

inline Report SampleReport() {
  Report report;
  Cause cause;
  cause.id = "ib.retry-exceeded";
  cause.title = "the remote side stopped answering";
  cause.confidence = 0.5;
  Culprit culprit;
  culprit.rank = 1;
  culprit.host = "node-b";
  cause.culprits = {culprit};
  report.causes = {cause};
  report.outcome = Outcome::kFailed;
  report.verdict = Verdict::kFailure;
  report.progress = "12 iterations";
  report.decision = Decision{Action::kRerunWithout, {"node-b"}, {}, 0.75, "its adapter is broken", "--exclude=node-b"};
  Attempt attempt;
  attempt.outcome = Outcome::kHung;
  attempt.file = "rank1.log";
  attempt.first_line = 2;
  attempt.last_line = 9;
  report.attempts = {attempt, Attempt{}};
  TimelineStep step;
  step.kind = "root";
  step.rank = 1;
  step.what = "the adapter";
  step.file = "rank1.log";
  step.line = 9;
  report.timeline = {step};
  return report;
}

inline void Write(const std::string& path, const SampleJob& job) {
  auto timeline = Open(path);
  REQUIRE(timeline->Load(job.model()).ok());
  std::vector<Diagnostic> diagnostics;
  const auto rules = RuleSet::LoadOnly("/nonexistent", &diagnostics);
  REQUIRE(timeline->AddFindings(job.model(), *rules, SampleFindings()).ok());
  REQUIRE(timeline->AddReport(SampleReport()).ok());
}

}  // namespace ncclwhy
