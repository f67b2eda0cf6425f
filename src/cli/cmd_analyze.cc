// ncclwhy [analyze] LOG...: the report.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/command_words.h"
#include "cli/common_options.h"
#include "cli/follow.h"
#include "cli/mistaken_log.h"
#include "cli/output.h"
#include "cli/output_names.h"
#include "cli/overwritten_input.h"
#include "cli/ras_client.h"
#include "cli/source_link.h"
#include "cli/standard_input.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "ncclwhy/analyzer.h"
#include "report/own_report.h"
#include "report/renderer.h"
#include "report/within_budget.h"

namespace ncclwhy {
namespace {

constexpr CommandText kAnalyzeText = {
    .usage = R"(ncclwhy [analyze] [OPTIONS] LOG...)",
    .about = R"(Says what broke an NCCL job first, where, why, how sure, and what fixes it.
LOG, of all ranks: files, folders, globs, archives, - (stdin), ras://HOST:PORT.)",
    .further = R"(Also: run collect explain show diff query digest history rules minimize serve
completion; --version)",
    .exit_status = R"(0 nothing failed; 1 a cause is named; 3 something failed, cause not
determined; 2 wrong usage, or something could not be read or written.)",
    .examples = R"(kubectl logs job/train | ncclwhy
ncclwhy -o why.html -o why.sarif rank*.log.gz)",
};

// Work that takes longer than this shows how far it is.
constexpr auto kPatience = std::chrono::milliseconds(1500);
// Where a page goes that would have gone to a terminal.
constexpr char kPage[] = "ncclwhy-report.html";
// Signed: `-1` must not become the largest number there is. What is beyond a terabyte is a slip.
const CLI::Range kBudgets(int64_t{1}, int64_t{1} << 40);
constexpr auto kProgressInterval = std::chrono::milliseconds(200);

// A line on the terminal that is rewritten and at last removed.
// Nothing is shown for the first second and a half: most reports are there by then.
class ProgressLine {
 public:
  ~ProgressLine() {
    // \r and EL: the line is gone, and what the shell prints next stands at its place.
    if (shown_) (void)!write(STDERR_FILENO, "\r\x1b[K", 4);
  }
  // ncclwhy: read 812 MiB, 3 of 16 files
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
  CommandText text() const override { return kAnalyzeText; }

  void Typed(const std::string& command) override { typed_ = command; }
  void AddOptions(CLI::App* app) override {
    app->add_option("LOG", logs_);
    // Two options set the format; that one was chosen at all decides what names of files mean.
    const auto choose = [this](const std::string& name) { format_ = name, format_chosen_ = true; };
    CLI::Option* format =
        app->add_option_function<std::string>("-f,--format", choose, CLI::detail::join(FormatNames(), " "))
            ->type_name("F");
    format->check(CLI::IsMember(FormatNames()));
    app->add_option("-o,--output", outputs_, "write there as the suffix says (.db: timeline), else text")
        ->type_name("FILE")
        ->allow_extra_args(false);
    // --json and --summary are what people type first.
    for (const char* name : {"json", "summary"}) {
      app->add_flag_callback(
             std::string("--") + name, [choose, name] { choose(name); }, std::string("as --format ") + name)
          ->excludes(format);
    }
    app->add_flag("--follow", follow_, "read logs as they grow; tell the first cause once it is sure");
    AddLanguageOption(app, &options_.language);
    AddSeenOption(app, &options_.seen);
    app->add_flag("--require-nccl", require_nccl_, "2 without lines of NCCL");
    // A paste without a line of NCCL is no error by itself: in CI it is one, since then something was not collected.
    app->add_option("--top", options_.top, "causes (default 3)")->type_name("N")->check(CLI::Range(1, 1000));
    AddJobsOption(app, &options_.jobs);
    app->add_option("--job", options_.job, "one of several jobs")->type_name("N")->check(CLI::Range(1, 1000));
    app->add_option("--attempt", options_.attempt, "one of its attempts")->type_name("N")->check(CLI::Range(1, 1000));
    app->add_option("--budget", budget_, "bytes (JSON 3000+)")->type_name("N")->check(kBudgets);
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
    CLI::Option* verbose = app->add_flag("-v,--verbose", verbose_, "all of the text");
    app->add_flag("-q,--quiet", quiet_, "one line only")->excludes(verbose);
    AddColorOption(app, &color_);
  }

  int Run() override {
    // What CLI11 cannot say: options that exclude each other for a reason.
    options_.full_timeline = timeline_ == "full";
    if (!TakeTimelines()) return kExitTrouble;
    if (options_.redact && !options_.database.empty()) {
      Complain("--redact and --db exclude each other: the timeline holds the names as they were logged");
      return kExitTrouble;
    }
    if (follow_ && !options_.database.empty()) {
      Complain("--follow and --db exclude each other: make the timeline when the job has ended");
      return kExitTrouble;
    }
    // From here `logs_` are names in the file system, and "-".
    TakeRasAddresses();
    if (follow_ && !ras_.empty()) {
      Complain("--follow and ras:// exclude each other: a status is of one moment");
      return kExitTrouble;
    }
    const bool unnamed = logs_.empty() && ras_.empty();
    // `kubectl logs job/train | ncclwhy`: without a name standard input is the log.
    if (unnamed) {
      logs_ = {"-"};
      AwaitStandardInput(options_.language);
    }
    // Names that lead to nothing are found before hours of reading, and with the hint that a typing mistake deserves.
    // While following, a file may still come.
    if (const std::string nothing = NothingToRead(); !nothing.empty()) {
      Complain(nothing);
      return kExitTrouble;
    }
    // `ncclwhy rules` behind options is taken for a log of that name: a sentence says so.
    for (const std::string& log : logs_) {
      const std::string mistake = follow_ ? std::string() : MistakenLog(log, options_.language);
      if (mistake.empty()) continue;
      Complain(mistake);
      return kExitTrouble;
    }
    for (const std::string& output : outputs_) {
      const std::string lost = OverwrittenByReport(output, logs_);
      if (lost.empty()) continue;
      Complain(lost);
      return kExitTrouble;
    }
    Result<Report> report = follow_ ? FollowLogs() : Analyze();
    if (!report.ok()) {
      Complain(report.status().message());
      return kExitTrouble;
    }
    // A pipe that brings nothing is nearly always a mistake of the one who wrote it.
    if (unnamed && report.value().coverage.bytes == 0) {
      Complain(CommandWordsOf(options_.language).empty_input);
      return kExitTrouble;
    }
    // A library that renders has no standard error to complain to; a command has.
    // The text has a section for problems; formats for programs have a member, and nobody sees it on the terminal.
    const bool told = (format_ == "text" || format_ == "full") && outputs_.empty() && !quiet_;
    if (!told) {
      for (const std::string& problem : report.value().problems) Complain(problem);
    }
    if (options_.redact && !quiet_) Complain(Redacted(report.value()));
    const int status = Deliver(report.value());
    // Behind the report: a gate in CI has the report all the same.
    if (!require_nccl_ || report.value().coverage.nccl > 0) return status;
    Complain("no line of NCCL was found, which --require-nccl asks for");
    return kExitTrouble;
  }

 private:
  // Empty: something is there, or may still come.
  std::string NothingToRead() const {
    if (follow_ || logs_.empty() || !ras_.empty()) return {};
    const std::string misspelt = MisspeltCommand(logs_, options_.language);
    if (!misspelt.empty()) return misspelt;
    // Who asked for a document gets one of an empty folder, too: a job that printed nothing leaves such a folder to CI.
    const bool for_people = outputs_.empty() && (format_ == "text" || format_ == "full" || format_ == "summary");
    return NothingThere(logs_, !for_people, options_.language);
  }

  // -o job.db is --db job.db. One file has the form that was asked for by a word, whatever it is called.
  bool TakeTimelines() {
    if (format_chosen_ && outputs_.size() == 1) return true;
    for (const std::string& output : outputs_) {
      if (!IsTimelineName(output)) continue;
      if (!options_.database.empty() && options_.database != output) {
        Complain(options_.database + " and " + output + ": one timeline at a time");
        return false;
      }
      options_.database = output;
    }
    std::erase_if(outputs_, IsTimelineName);
    return true;
  }

  // redacted: 3 host, 2 ip, 1 token
  static std::string Redacted(const Report& report) {
    constexpr std::string_view kNote = "redacted_";
    std::string out;
    for (const auto& [name, count] : report.coverage.notes) {
      if (!name.starts_with(kNote)) continue;
      // `redacted_host` counts aliases of hosts.
      out += (out.empty() ? " " : ", ") + std::to_string(count) + " " + name.substr(kNote.size());
    }
    return "redacted:" + (out.empty() ? " nothing" : out);
  }

  Result<Report> Analyze() {
    ProgressLine line;
    // A line that is rewritten has no place in a file.
    if (!quiet_ && IsTerminal(STDERR_FILENO)) options_.progress = [&line](const Progress& p) { line.Show(p); };
    Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(options_);
    if (!analyzer.ok()) return analyzer.status();
    if (Status status = analyzer.value()->AddArguments(logs_); !status.ok()) return status;
    for (const std::string& address : ras_) {
      if (Status status = AddRas(address, *analyzer.value()); !status.ok()) return status;
    }
    return analyzer.value()->Finish();
  }

  // ras://10.0.0.1:28028 among the names is no file: NCCL's own status, asked for over the network.
  void TakeRasAddresses() {
    for (const std::string& log : logs_) {
      if (const std::string_view address = RasAddress(log); !address.empty()) ras_.emplace_back(address);
    }
    // Both lists keep their order: sources are named in it.
    std::erase_if(logs_, [](const std::string& log) { return !RasAddress(log).empty(); });
  }

  // Who cannot be asked is a problem of the report, as a file that cannot be read.
  static Status AddRas(const std::string& address, Analyzer& analyzer) {
    std::string problem;
    const Result<std::string> said = AskRas(address, &problem);
    if (!said.ok()) return analyzer.AddProblem(said.status().message());
    if (!problem.empty()) {
      if (Status status = analyzer.AddProblem(problem); !status.ok()) return status;
    }
    // The name of the source in reports is what was typed.
    if (Status status = analyzer.Begin("ras://" + address); !status.ok()) return status;
    if (Status status = analyzer.Push(said.value()); !status.ok()) return status;
    return analyzer.EndSource();
  }

  Result<Report> FollowLogs() {
    // What is told meanwhile must not get into a report that a program reads.
    // A person reads text: what is told meanwhile fits in. A program gets the report alone on standard output.
    const bool readable = outputs_.empty() && (format_ == "text" || format_ == "summary");
    FollowOptions options{options_, logs_, [readable](const std::string& line) {
                            if (readable) return WriteStandardOutput(line) != Written::kReaderGone;
                            Complain(std::string_view(line).substr(0, line.find('\n')));
                            return true;
                          }};
    if (!quiet_ && IsTerminal(STDERR_FILENO)) Complain("following; Ctrl-C ends it with the report");
    return Follow(options);
  }

  // Nothing is there yet, or a report of this program.
  // `symlink_status`: a link that leads nowhere is something, too, and is not written through.
  static bool IsOurs(const char* path) {
    std::error_code none;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) return true;
    // kReportHead bytes tell a report of this program in any of its forms.
    std::string head(kReportHead, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    return IsOwnReport(head);
  }

  // To every file that was asked for, else to standard output.
  int Deliver(const Report& report) {
    int status = StatusOf(report);
    bool reader_gone = false;
    // Nobody reads a page on a terminal.
    // HTML on a terminal helps nobody: it goes to a file beside it, unless that would replace somebody else's.
    if (format_ == "html" && outputs_.empty() && IsTerminal(STDOUT_FILENO)) {
      if (!IsOurs(kPage)) {
        Complain(std::string(kPage) + " is there and is no report of ncclwhy; name another file with -o");
        return kExitTrouble;
      }
      outputs_ = {kPage};
      Complain(std::string("the report is in ") + kPage);
    }
    for (const std::string& output : outputs_.empty() ? std::vector<std::string>{"-"} : outputs_) {
      const bool to_file = output != "-";
      const Result<std::string> bytes = Rendered(report, output, to_file);
      if (!bytes.ok()) {
        Complain(bytes.status().message());
        return kExitTrouble;
      }
      if (!to_file) {
        const Written written = WriteStandardOutput(bytes.value());
        // `ncclwhy logs/ | head` has what it wanted.
        reader_gone = reader_gone || written == Written::kReaderGone;
        if (written == Written::kFailed) status = kExitTrouble;
      } else if (const Status done = WriteFile(output, bytes.value()); !done.ok()) {
        Complain(done.message());
        status = kExitTrouble;
      }
    }
    return reader_gone && status != kExitTrouble ? 0 : status;
  }

  // Bytes for one output. A terminal gets its width, colours and links; a file none of them.
  Result<std::string> Rendered(const Report& report, const std::string& output, bool to_file) const {
    ReportFormat format;
    format.language = options_.language;
    format.width = to_file ? 0 : TerminalWidth(STDOUT_FILENO);
    format.color = UseColor(color_, to_file ? -1 : STDOUT_FILENO);
    // Links lead to files by their names, which a redacted report must not have.
    if (!to_file && !options_.redact && FollowsLinks(STDOUT_FILENO)) format.link = SourceLink;
    // Nor what was typed, which has them, too.
    if (!options_.redact) format.command = typed_;
    std::string chosen = format_;
    // One file has the form that was asked for; several, or without a word, that of their names.
    const Format* named = to_file && (!format_chosen_ || outputs_.size() > 1) ? FormatOfFile(output) : nullptr;
    // `-o why.html -o why.sarif`: each suffix names its form.
    if (named != nullptr) chosen = named->name;
    if (to_file && !format_chosen_ && !quiet_) {
      if (const std::string unknown = UnknownSuffix(output); !unknown.empty()) Complain(unknown);
    }
    if (chosen == "text" && verbose_) chosen = "full";
    if (chosen == "text" && quiet_ && !to_file) chosen = "summary";
    // Without a budget the library renders; with one, details are left out until it fits.
    if (budget_ == 0) return RenderReport(report, chosen, format);
    if (!TakesBudget(chosen)) return Status::InvalidArgument("--budget is for text, full, markdown and json");
    Budgeted within =
        RenderWithin(report, *FindFormat(chosen), {format.language, format.width, format.color, format.link}, budget_);
    if (!within.fits) Complain("the least that can be said has " + std::to_string(within.bytes.size()) + " bytes");
    return std::move(within.bytes);
  }

  int StatusOf(const Report& report) const {
    // --fail-on makes 1 of a verdict that is none by itself.
    const auto strict = [&](const char* verdict) {
      return std::find(fail_on_.begin(), fail_on_.end(), verdict) != fail_on_.end();
    };
    return ExitStatus(report, {strict("degraded"), strict("undetermined")});
  }

  AnalyzerOptions options_;
  std::vector<std::string> logs_;
  std::vector<std::string> ras_;  // addresses of NCCL's RAS
  std::vector<std::string> fail_on_;
  std::string format_ = "text";
  std::vector<std::string> outputs_;
  std::string timeline_ = "default";
  std::string color_ = "auto";
  size_t budget_ = 0;
  bool format_chosen_ = false;
  bool require_nccl_ = false;
  bool quiet_ = false;
  std::string typed_;
  bool verbose_ = false;
  bool follow_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> NewAnalyzeCommand() { return std::make_unique<AnalyzeCommand>(); }

}  // namespace ncclwhy
