// ncclwhy diff GOOD BAD: what differs between a run that worked and one that did not.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "analyze/analyzer.h"
#include "analyze/diff.h"
#include "analyze/job_diff.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "read/read_sources.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kHelp = R"help(Usage: ncclwhy diff [OPTIONS] GOOD BAD
Says what differs between a run that worked and one that did not: verdict,
versions, variables, ranks, networks, transports, channels, how far each rank
got, and messages that only one of them printed. Pids, pointers, ports, times
and names of hosts are not compared.
GOOD, BAD: a file, directory, archive, glob in quotes, or - for standard input.
  -f, --format F  text (default; one screen) or json (everything)
  --lang L        en (default) or zh
  --jobs N        threads (default: one a processor)
  --color WHEN    auto (default), always, never
Exit status: 0 no difference; 1 they differ; 2 wrong usage, or something could
not be read.
Examples: ncclwhy diff monday/ tuesday/
          ncclwhy diff "good/rank*.log" bad.tar.gz
)help";

constexpr int kExitDiffer = 1;

class DiffCommand : public Subcommand {
 public:
  std::string_view name() const override { return "diff"; }
  std::string_view help() const override { return kHelp; }

  void AddOptions(CLI::App* app) override {
    app->add_option("GOOD", good_)->required();
    app->add_option("BAD", bad_)->required();
    app->add_option("-f,--format", format_)->check(CLI::IsMember({"text", "json"}));
    app->add_option("--lang", language_)->check(CLI::IsMember({"en", "zh"}));
    app->add_option("--jobs", jobs_)->check(CLI::Range(1, 1024));
    app->add_option("--color", color_)->check(CLI::IsMember({"auto", "always", "never"}));
  }

  int Run() override {
    if (good_ == "-" && bad_ == "-") {
      Complain("only one of GOOD and BAD can be standard input");
      return kExitTrouble;
    }
    options_.language = language_ == "zh" ? Language::kChinese : Language::kEnglish;
    ComparedRun good;
    ComparedRun bad;
    for (const auto& [argument, run] : {std::pair(&good_, &good), std::pair(&bad_, &bad)}) {
      const Status status = Read(*argument, run);
      if (status.ok()) continue;
      Complain(status.message());
      return kExitTrouble;
    }
    const JobDiff diff = DiffJobs(good, bad, options_.language);
    options_.width = TerminalWidth(STDOUT_FILENO);
    options_.color = UseColor(color_, STDOUT_FILENO);
    const bool json = format_ == "json";
    const bool trouble = !diff.good.problems.empty() || !diff.bad.problems.empty();
    if (json) {
      for (const DiffSide* side : {&diff.good, &diff.bad}) {
        for (const std::string& problem : side->problems) Complain(problem);
      }
    }
    switch (WriteStandardOutput(json ? RenderDiffJson(diff, options_) : RenderDiffText(diff, options_))) {
      case Written::kReaderGone:
        return 0;
      case Written::kFailed:
        return kExitTrouble;
      case Written::kAll:
        break;
    }
    return trouble ? kExitTrouble : diff.same() ? 0 : kExitDiffer;
  }

 private:
  Status Read(const std::string& argument, ComparedRun* run) const {
    const RuleSet& rules = RuleSet::Embedded();
    const KnowledgeBase& kb = KnowledgeBase::Embedded();
    std::vector<std::string> problems;
    const std::vector<SourceSpec> specs = ExpandSources({argument}, &problems);
    ReadOptions reading;
    reading.jobs = jobs_;
    std::vector<SourceDigest> digests = ReadSources(specs, rules, kb, reading, &problems);
    std::stable_sort(digests.begin(), digests.end(),
                     [](const SourceDigest& a, const SourceDigest& b) { return a.facts.name < b.facts.name; });
    run->name = argument;
    {
      std::vector<const SourceFacts*> facts;
      for (const SourceDigest& d : digests) facts.push_back(&d.facts);
      run->profile = ProfileOf(BuildJobModel(facts), digests, kb);
    }
    Result<std::unique_ptr<Timeline>> timeline = OpenTimeline("");
    if (!timeline.ok()) return timeline.status();
    AnalyzeOptions analysis;
    analysis.language = options_.language;
    run->report = Analyze(std::move(digests), rules, kb, *timeline.value(), analysis, std::move(problems));
    return {};
  }

  std::string good_, bad_;
  std::string format_ = "text";
  std::string language_ = "en";
  std::string color_ = "auto";
  int jobs_ = 0;
  RenderOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> NewDiffCommand() { return std::make_unique<DiffCommand>(); }

}  // namespace ncclwhy
