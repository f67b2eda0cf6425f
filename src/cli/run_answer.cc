#include "cli/run_answer.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "api/knowledge.h"
#include "cli/output.h"
#include "cli/steady_answer.h"

namespace ncclwhy {

Result<RunAnswer> AnswerRun(const RunFolder& folder, const RunAnswerOptions& options) {
  // What the host does not say is in the manifest; there is an answer without it.
  const Result<Knowledge> knowledge = Knowledge::Load(options.analyzer);
  if (knowledge.ok()) {
    // Into the folder of logs, so that it is read with them.
    (void)CollectHost(options.collection, knowledge.value().kb(), NewFolderSink(folder.logs() + "/collected").get());
  }
  Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(options.analyzer);  // fails where the knowledge did
  if (!analyzer.ok()) return analyzer.status();
  if (Status status = analyzer.value()->AddArguments({folder.logs()}); !status.ok()) return status;
  if (!options.unlogged.empty()) {
    // In brackets: it is no name of a file.
    (void)analyzer.value()->Begin("(output that is not on the disk)");
    (void)analyzer.value()->Push(options.unlogged);
    (void)analyzer.value()->EndSource();
  }
  Result<Report> read = analyzer.value()->Finish();
  if (!read.ok()) return read.status();
  const Report report = read.take();

  RunAnswer out;
  ReportFormat plain;
  plain.language = options.format.language;
  // Both are for later, in full; what is told now is short.
  for (const auto& [format, suffix] : {std::pair{"full", "txt"}, std::pair{"json", "json"}}) {
    const Result<std::string> bytes = RenderReport(report, format, plain);
    if (!bytes.ok()) return bytes.status();
    const mode_t mask = ::umask(077);
    const Status written = WriteFile(folder.report(suffix), bytes.value());
    ::umask(mask);
    if (!written.ok() && out.unwritten.empty()) out.unwritten = written.message();
  }
  // Somebody ended it, and nothing else is the matter: one line says so.
  const bool stopped =
      report.outcome == Outcome::kStopped &&
      (report.causes.empty() || knowledge.value().kb().TraitsOf(report.causes.front().id).kind == CauseKind::kStop);
  Result<std::string> text = RenderReport(report, stopped ? "summary" : "text", options.format);
  if (!text.ok()) return text.status();
  out.text = text.take();
  Result<std::string> reason = RenderReport(report, "summary", plain);
  if (!reason.ok()) return reason.status();
  out.reason = reason.take();
  out.reason.resize(std::min(out.reason.find('\n'), out.reason.size()));
  if (report.verdict == Verdict::kFailure && !report.causes.empty()) {
    const Cause& cause = report.causes.front();
    out.sure = cause.confidence >= SteadyAnswer::kSure &&
               std::any_of(cause.evidence.begin(), cause.evidence.end(),
                           [](const Evidence& e) { return e.line > 0 && e.role == "direct"; });
  }
  return out;
}

bool NoteOfRun(const RunFolder& folder, const std::string& line) {
  // A job may print secrets into it by way of its command line.
  const mode_t mask = ::umask(077);
  std::ofstream out(folder.logs() + "/run.log", std::ios::app);
  ::umask(mask);
  out << line << std::endl;
  return out.good();
}

}  // namespace ncclwhy
