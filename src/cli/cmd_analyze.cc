// ncclwhy [analyze] LOG...: the report.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/follow.h"
#include "cli/mistaken_log.h"
#include "cli/output.h"
#include "cli/source_link.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "ncclwhy/analyzer.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

constexpr CommandText kText = {
    .usage = R"(ncclwhy [analyze] [OPTIONS] LOG...)",
    .about = R"(Says what broke an NCCL job first, where, why, how sure, and what fixes it.
LOG: files, directories, globs, archives (.gz .xz .zst .bz2 .zip .tar.*), or -
for standard input. Give the logs of all ranks at once.)",
    .further = R"(Also: ncclwhy explain ID|VARIABLE|"MESSAGE"   ncclwhy rules list|lint|test [DIR]
      ncclwhy diff GOOD BAD   ncclwhy query DB "SELECT ..."   ncclwhy serve
      ncclwhy completion bash|zsh|fish   ncclwhy --version)",
    .exit_status = R"(0 nothing failed; 1 a cause is named; 3 something failed, cause not
determined; 2 wrong usage, or something could not be read or written.)",
    .examples = R"(ncclwhy logs/
kubectl logs job/train | ncclwhy -
ncclwhy --format html -o report.html rank*.log.gz)",
};

// Work that takes longer than this shows how far it is.
constexpr auto kPatience = std::chrono::milliseconds(1500);
constexpr auto kProgressInterval = std::chrono::milliseconds(200);

// A line on the terminal that is rewritten and at last removed.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) (void)!write(STDERR_FILENO, "\r\x1b[K", 4);
  }
  void Show(const Progress& progress) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kProgressInterval;
    shown_ = true;
    const std::string line = "\rncclwhy: read " + std::to_string(progress.bytes >> 20) + " MiB, " +
                             std::to_string(progress.sources) + " of " + std::to_string(progress.total) +
                             " files\x1b[K";
    (void)!write(STDERR_FILENO, line.data(), line.size());
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now() + kPatience;
  bool shown_ = false;
};

class AnalyzeCommand : public Subcommand {
 public:
  std::string_view name() const override { return "analyze"; }
  CommandText text() const override { return kText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("LOG", logs_)->required();
    CLI::Option* format =
        app->add_option("-f,--format", format_, CLI::detail::join(FormatNames(), ", "))->type_name("F");
    format->check(CLI::IsMember(FormatNames()));
    app->add_option("-o,--output", output_, "write the report there")->type_name("FILE");
    app->add_flag_callback(
           "--summary", [this] { format_ = "summary"; }, "as --format summary")
        ->excludes(format);
    app->add_flag("--follow", follow_, "read logs as they grow; tell the first cause once it is sure");
    AddLanguageOption(app, &options_.language);
    app->add_option("--top", options_.top, "causes to report (default 3)")->type_name("N")->check(CLI::Range(1, 1000));
    app->add_option("--db", options_.database, "keep the timeline in a SQLite file for `ncclwhy query`")
        ->type_name("FILE");
    app->add_option("--timeline", timeline_, "default; full also keeps every collective")
        ->type_name("T")
        ->check(CLI::IsMember({"default", "full"}));
    AddKnowledgeOptions(app, &options_);
    app->add_flag("--redact", options_.redact, "aliases for hosts, addresses, users, paths and tokens");
    app->add_option("--fail-on", fail_on_, "1 also for degraded, for undetermined (several: repeat)")
        ->type_name("V")
        ->check(CLI::IsMember({"degraded", "undetermined"}))
        ->allow_extra_args(false);
    CLI::Option* verbose = app->add_flag("-v,--verbose", verbose_, "all of the text report");
    app->add_flag("-q,--quiet", quiet_, "one line, no progress")->excludes(verbose);
    AddJobsOption(app, &options_.jobs);
    AddColorOption(app, &color_);
  }

  int Run() override {
    options_.full_timeline = timeline_ == "full";
    if (options_.redact && !options_.database.empty()) {
      Complain("--redact and --db exclude each other: the timeline holds the names as they were logged");
      return kExitTrouble;
    }
    if (follow_ && !options_.database.empty()) {
      Complain("--follow and --db exclude each other: make the timeline when the job has ended");
      return kExitTrouble;
    }
    for (const std::string& log : logs_) {
      const std::string mistake = follow_ ? std::string() : MistakenLog(log);
      if (mistake.empty()) continue;
      Complain(mistake);
      return kExitTrouble;
    }
    Result<Report> report = follow_ ? FollowLogs() : Analyze();
    if (!report.ok()) {
      Complain(report.status().message());
      return kExitTrouble;
    }
    // A library that renders has no standard error to complain to; a command has.
    const bool told = (format_ == "text" || format_ == "full") && output_.empty() && !quiet_;
    if (!told) {
      for (const std::string& problem : report.value().problems) Complain(problem);
    }
    if (options_.redact && !quiet_) Complain(Redacted(report.value()));
    return Deliver(report.value());
  }

 private:
  // redacted: 3 host, 2 ip, 1 token
  static std::string Redacted(const Report& report) {
    constexpr std::string_view kNote = "redacted_";
    std::string out;
    for (const auto& [name, count] : report.coverage.notes) {
      if (!name.starts_with(kNote)) continue;
      out += (out.empty() ? " " : ", ") + std::to_string(count) + " " + name.substr(kNote.size());
    }
    return "redacted:" + (out.empty() ? " nothing" : out);
  }

  Result<Report> Analyze() {
    ProgressLine line;
    if (!quiet_ && IsTerminal(STDERR_FILENO)) options_.progress = [&line](const Progress& p) { line.Show(p); };
    Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(options_);
    if (!analyzer.ok()) return analyzer.status();
    analyzer.value()->AddArguments(logs_);
    return analyzer.value()->Finish();
  }

  Result<Report> FollowLogs() {
    // What is told meanwhile must not get into a report that a program reads.
    const bool readable = output_.empty() && (format_ == "text" || format_ == "summary");
    FollowOptions options{options_, logs_, [readable](const std::string& line) {
                            if (readable) return WriteStandardOutput(line) != Written::kReaderGone;
                            Complain(std::string_view(line).substr(0, line.find('\n')));
                            return true;
                          }};
    if (!quiet_ && IsTerminal(STDERR_FILENO)) Complain("following; Ctrl-C ends it with the report");
    return Follow(options);
  }

  int Deliver(const Report& report) {
    const bool to_file = !output_.empty() && output_ != "-";
    ReportFormat format;
    format.language = options_.language;
    format.width = to_file ? 0 : TerminalWidth(STDOUT_FILENO);
    format.color = UseColor(color_, to_file ? -1 : STDOUT_FILENO);
    if (!to_file && !options_.redact && FollowsLinks(STDOUT_FILENO)) format.link = SourceLink;
    std::string chosen = format_;
    if (format_ == "text" && verbose_) chosen = "full";
    if (format_ == "text" && quiet_ && !to_file) chosen = "summary";
    Result<std::string> bytes = RenderReport(report, chosen, format);
    if (!bytes.ok()) {
      Complain(bytes.status().message());
      return kExitTrouble;
    }
    if (to_file) {
      if (const Status status = WriteFile(output_, bytes.value()); !status.ok()) {
        Complain(status.message());
        return kExitTrouble;
      }
      return StatusOf(report);
    }
    switch (WriteStandardOutput(bytes.value())) {
      case Written::kAll:
        return StatusOf(report);
      case Written::kReaderGone:
        return 0;
      case Written::kFailed:
        break;
    }
    return kExitTrouble;
  }

  int StatusOf(const Report& report) const {
    const auto strict = [&](const char* verdict) {
      return std::find(fail_on_.begin(), fail_on_.end(), verdict) != fail_on_.end();
    };
    return ExitStatus(report, {strict("degraded"), strict("undetermined")});
  }

  AnalyzerOptions options_;
  std::vector<std::string> logs_;
  std::vector<std::string> fail_on_;
  std::string format_ = "text";
  std::string output_;
  std::string timeline_ = "default";
  std::string color_ = "auto";
  bool quiet_ = false;
  bool verbose_ = false;
  bool follow_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> NewAnalyzeCommand() { return std::make_unique<AnalyzeCommand>(); }

}  // namespace ncclwhy
