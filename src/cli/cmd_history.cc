// ncclwhy history ACTION DB: what the reports of many jobs say together.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "history/history_answer.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

constexpr CommandText kHistoryText = {
    .usage = R"(ncclwhy history ACTION [OPTIONS] DB [JOB...])",
    .about = R"(Remembers the reports of many jobs in one SQLite file, and says who is blamed
again and again. A JOB is a report (--format json), or the logs of one job.
  add       adds jobs; one that is there already is replaced
  places    what hosts hang on, of `scontrol show topology`, topology.conf,
            `kubectl get nodes -o json` or --show-labels, or lines HOST PLACE
  hosts devices versions   how often blamed, since when, how likely by chance
  switches  the same of what several hosts hang on, without its worst host
  causes    how often, on how many hosts
  drain     hosts to take out of service: HOST<TAB>REASON
  metrics   Prometheus text, as `serve --history DB` has it)",
    .exit_status = R"(0 added or answered; 2 something could not be read or written.)",
    .examples = R"(ncclwhy --json logs/ | ncclwhy history add fleet.db -
ncclwhy history hosts fleet.db --since 30
scontrol show topology | ncclwhy history places fleet.db -)",
};

constexpr size_t kReportBytes = limits::kDocumentBytes;
// Enough to tell a report from a log.
constexpr size_t kHeadBytes = 4096;

class HistoryCommand : public Subcommand {
 public:
  std::string_view name() const override { return "history"; }
  CommandText text() const override { return kHistoryText; }

  void AddOptions(CLI::App* app) override {
    // The questions are the history's own, so a new one needs no change here.
    std::vector<std::string> actions = HistoryQuestions();
    actions.insert(actions.begin(), {"add", "places"});
    actions.push_back("metrics");
    app->add_option("ACTION", action_)->required()->check(CLI::IsMember(actions));
    app->add_option("DB", database_)->required();
    app->add_option("JOB", jobs_);
    app->add_option("--key", key_, "of the one job that is added, instead of its own")->type_name("K");
    app->add_option("--since", days_, "only jobs of the last N days")->type_name("N")->check(CLI::Range(1, 100000));
    app->add_option("--least", asked_.least, "drain: blamed in so many jobs, default 2")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000));
    app->add_option("--chance", asked_.chance, "drain: less likely by chance, default 0.01")
        ->type_name("P")
        ->check(CLI::Range(0.0, 1.0));
    app->add_option("--top", asked_.top, "rows, default 50")->type_name("N")->check(CLI::Range(1, 100000));
    app->add_flag("--json", json_, "ncclwhy.history/1");
    AddKnowledgeOptions(app, &options_);
    app->add_flag("-q,--quiet", quiet_, "do not say what was added");
  }

  int Run() override {
    if (action_ == "add") return Add();
    if (action_ == "places") return SetPlaces();
    // Of a question JOB is a mistake that would be ignored in silence.
    if (!jobs_.empty()) return Failed(Status::InvalidArgument("only `history add` takes a JOB"));
    // Days are what people think in; the window ends now.
    if (days_ > 0) asked_.since = std::time(nullptr) - int64_t{days_} * 86400;
    const Result<std::unique_ptr<History>> history = History::Open(database_, History::Mode::kRead);
    if (!history.ok()) return Failed(history.status());
    const Result<std::string> answer = action_ == "metrics" ? HistoryMetrics(*history.value(), asked_)
                                                            : AnswerHistory(*history.value(), action_, asked_, json_);
    if (!answer.ok()) return Failed(answer.status());
    return WriteStandardOutput(answer.value()) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  static int Failed(const Status& status) {
    Complain(status.message());
    return kExitTrouble;
  }

  // What can be read is added, what cannot is told.
  int Add() {
    // `ncclwhy --json logs/ | ncclwhy history add fleet.db`: standard input is the report.
    if (jobs_.empty()) jobs_ = {"-"};
    std::vector<PastJob> all;
    int exit = 0;
    for (const std::string& job : jobs_) {
      Result<std::vector<PastJob>> read = Read(job);
      if (!read.ok()) {
        // One job that cannot be read must not keep the others out of the memory.
        exit = Failed(Status(read.status().code(), job + ": " + read.status().message()));
        continue;
      }
      all.insert(all.end(), read.value().begin(), read.value().end());
    }
    if (!key_.empty()) {
      // A key of one's own, such as the scheduler's job number with the cluster's name.
      if (all.size() != 1) return Failed(Status::InvalidArgument("--key is for one job"));
      all[0].key = "key " + key_;
    }
    // Nothing was read: the history is not even made.
    if (all.empty()) return kExitTrouble;
    const Result<std::unique_ptr<History>> history = History::Open(database_, History::Mode::kAdd);
    if (!history.ok()) return Failed(history.status());
    const Result<History::Added> added = history.value()->Add(all);
    if (!added.ok()) return Failed(added.status());
    if (!quiet_) {
      Complain("added " + std::to_string(added.value().jobs) + ", replaced " + std::to_string(added.value().again));
    }
    return exit;
  }

  // All files together take the place of what was known.
  int SetPlaces() {
    if (jobs_.empty()) jobs_ = {"-"};
    // Several files: a fleet of two clusters has a topology each.
    std::vector<HostPlace> all;
    for (const std::string& path : jobs_) {
      std::string bytes;
      std::ifstream file;
      if (path != "-") file.open(path, std::ios::binary);
      std::istream& in = path == "-" ? std::cin : file;
      if (!in) return Failed(Status::NotFound(path + ": cannot be read"));
      for (std::string chunk(1 << 20, '\0'); in && bytes.size() <= kReportBytes;) {
        in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        bytes.append(chunk, 0, static_cast<size_t>(in.gcount()));
      }
      // Beyond the limit it is no topology but a log that was named by mistake.
      if (bytes.size() > kReportBytes) return Failed(Status::Limit(path + ": is too large"));
      Result<std::vector<HostPlace>> places = PlacesOf(bytes);
      if (!places.ok()) return Failed(Status(places.status().code(), path + ": " + places.status().message()));
      all.insert(all.end(), places.value().begin(), places.value().end());
    }
    const Result<std::unique_ptr<History>> history = History::Open(database_, History::Mode::kAdd);
    if (!history.ok()) return Failed(history.status());
    if (Status status = history.value()->SetPlaces(all); !status.ok()) return Failed(status);
    std::set<std::string_view> names;
    for (const HostPlace& p : all) names.insert(p.place);
    if (!quiet_) Complain("know " + std::to_string(names.size()) + " places");
    return 0;
  }

  Result<std::vector<PastJob>> Read(const std::string& job) {
    const bool pipe = job == "-";
    struct stat file {};
    // Of a file the time of its last change: a report without dates was written when its job had ended.
    int64_t ended = std::time(nullptr);
    if (!pipe && ::stat(job.c_str(), &file) == 0) ended = file.st_mtime;
    std::string bytes;
    std::ifstream file_in;
    // A folder is no report: it is analysed.
    if (!pipe && S_ISREG(file.st_mode)) file_in.open(job, std::ios::binary);
    std::istream& in = pipe ? std::cin : file_in;
    const auto take = [&](size_t most) {
      const size_t had = bytes.size();
      bytes.resize(had + most);
      in.read(bytes.data() + had, static_cast<std::streamsize>(most));
      bytes.resize(had + static_cast<size_t>(in.gcount()));
    };
    take(kHeadBytes);
    // A report is read whole, of a log only its head: the rest goes to the analyzer piece by piece.
    while (LooksLikeReport(bytes) && bytes.size() <= kReportBytes && in) take(1 << 20);
    if (bytes.size() > kReportBytes && LooksLikeReport(bytes)) return Status::Limit("the report is too large");
    if (LooksLikeReport(bytes)) return JobsOfReport(bytes, ended);
    return Analyse(job, pipe ? &bytes : nullptr, ended);
  }

  Result<std::vector<PastJob>> Analyse(const std::string& job, const std::string* bytes, int64_t ended) {
    Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(options_);
    if (!analyzer.ok()) return analyzer.status();
    if (bytes == nullptr) {
      if (Status status = analyzer.value()->AddArguments({job}); !status.ok()) return status;
    } else {
      // What was looked at, and the rest of the pipe.
      Status status = analyzer.value()->Begin("-");
      if (status.ok()) status = analyzer.value()->Push(*bytes);
      for (std::string chunk(1 << 20, '\0'); status.ok() && std::cin;) {
        std::cin.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        status = analyzer.value()->Push(std::string_view(chunk).substr(0, static_cast<size_t>(std::cin.gcount())));
      }
      if (status.ok()) status = analyzer.value()->EndSource();
      if (!status.ok()) return status;
    }
    const Result<Report> report = analyzer.value()->Finish();
    if (!report.ok()) return report.status();
    // A folder without a log would become a healthy job.
    if (report.value().coverage.lines == 0) {
      const std::vector<std::string>& problems = report.value().problems;
      return Status::NotFound(problems.empty() ? "holds no log and no report" : problems[0]);
    }
    // By way of the report's own JSON: what a history keeps is the same whether it gets logs or reports.
    const Result<std::string> json = RenderReport(report.value(), "json", {});
    if (!json.ok()) return json.status();
    return JobsOfReport(json.value(), ended);
  }

  std::string action_;
  std::string database_;
  std::vector<std::string> jobs_;
  std::string key_;
  int days_ = 0;
  bool json_ = false;
  bool quiet_ = false;
  HistoryQuestion asked_;
  AnalyzerOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> NewHistoryCommand() { return std::make_unique<HistoryCommand>(); }

}  // namespace ncclwhy
