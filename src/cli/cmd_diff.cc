// ncclwhy diff GOOD BAD: what differs between a run that worked and one that did not.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "ncclwhy/diff.h"

namespace ncclwhy {
namespace {

constexpr CommandText kDiffText = {
    .usage = R"(ncclwhy diff [OPTIONS] GOOD BAD)",
    .about = R"(Says what differs between a run that worked and one that did not: verdict,
versions, variables, ranks, networks, transports, channels, how far each rank
got, and messages that only one of them printed. Pids, pointers, ports, times
and names of hosts are not compared.
GOOD, BAD: a file, directory, archive, glob in quotes, or - for standard input.)",
    .exit_status = R"(0 no difference; 1 they differ; 2 wrong usage, or something could
not be read.)",
    .examples = R"(ncclwhy diff monday/ tuesday/
ncclwhy diff "good/rank*.log" bad.tar.gz)",
};

constexpr int kExitDiffer = 1;

class DiffCommand : public Subcommand {
 public:
  std::string_view name() const override { return "diff"; }
  CommandText text() const override { return kDiffText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("GOOD", good_)->required();
    app->add_option("BAD", bad_)->required();
    app->add_option("-f,--format", format_, "text (default; one screen) or json (everything)")
        ->type_name("F")
        ->check(CLI::IsMember({"text", "json"}));
    AddLanguageOption(app, &options_.language);
    AddJobsOption(app, &options_.jobs);
    AddKnowledgeOptions(app, &options_);
    AddColorOption(app, &color_);
  }

  int Run() override {
    const Result<JobDiff> diff = Diff(good_, bad_, options_);
    if (!diff.ok()) {
      Complain(diff.status().message());
      return kExitTrouble;
    }
    const ReportFormat format{options_.language, TerminalWidth(STDOUT_FILENO), UseColor(color_, STDOUT_FILENO)};
    const Result<std::string> text = RenderDiff(diff.value(), format_, format);
    if (!text.ok()) {
      Complain(text.status().message());
      return kExitTrouble;
      // What could not be read makes the comparison one of two halves: 2, whatever else it says.
    }
    bool trouble = false;
    for (const DiffSide* side : {&diff.value().good, &diff.value().bad}) {
      for (const std::string& problem : side->problems) {
        trouble = true;
        // The text has a section for them.
        if (format_ != "text") Complain(problem);
      }
    }
    switch (WriteStandardOutput(text.value())) {
      case Written::kReaderGone:
        return 0;
      case Written::kFailed:
        return kExitTrouble;
      case Written::kAll:
        break;
    }
    // As diff(1): 0 alike, 1 not, 2 trouble.
    return trouble ? kExitTrouble : diff.value().same() ? 0 : kExitDiffer;
  }

 private:
  std::string good_, bad_;
  std::string format_ = "text";
  std::string color_ = "auto";
  AnalyzerOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> NewDiffCommand() { return std::make_unique<DiffCommand>(); }

}  // namespace ncclwhy
