// ncclwhy rules list|lint|test [DIR]: for people who write rules.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "analyze/analyzer.h"
#include "analyze/message_rules.h"
#include "api/job_analysis.h"
#include "api/knowledge.h"
#include "base/escape.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "rules/engine/lint.h"
#include "rules/engine/rule_test.h"
#include "rules/engine/vocabulary.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

constexpr CommandText kRulesText = {
    .usage = R"(ncclwhy rules list|lint|test [OPTIONS] [DIR])",
    .about = R"(For rule authors. DIR holds rule folders (rule.json, fires*.log, silent*.log).
  list   id, role, causes, title of embedded rules and messages, or those in DIR
  lint   checks the rules below DIR without running them
  test   runs the fires* and silent* logs beside the rules below DIR
DIR is rules/catalog when lint or test are not told otherwise.)",
    .exit_status = R"(0 all is well; 1 a rule is wrong or a case failed; 2 wrong usage.)",
    .examples = R"(ncclwhy rules list
ncclwhy rules lint --kb my-kb my-rules
ncclwhy --rules my-rules logs/)",
};

constexpr int kExitFailed = 1;

// rules/net/x/rule.json:7:12: error: R012 no such cause 'net.foo'
//     "cause": "net.foo"
//     help: did you mean net.unreachable?
std::string Shown(const Diagnostic& d) {
  std::string out = d.file;
  if (d.line > 0) out += fmt::format(":{}", d.line);
  if (d.line > 0 && d.column > 0) out += fmt::format(":{}", d.column);
  out += fmt::format(": {}: {} {}\n", d.level == Diagnostic::kError ? "error" : "warning", d.code, d.message);
  // The message may quote a rule's text, with whatever is in it.
  std::string shown = EscapeTerminal(out.substr(0, out.size() - 1)) + "\n";
  if (!d.snippet.empty()) shown += "    " + EscapeTerminal(d.snippet) + "\n";
  if (!d.help.empty()) shown += "    help: " + EscapeTerminal(d.help) + "\n";
  return shown;
}

bool HasError(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.level == Diagnostic::kError; });
}

int Print(const std::string& text, int status) {
  switch (WriteStandardOutput(text)) {
    case Written::kAll:
      return status;
    case Written::kReaderGone:
      return 0;
    case Written::kFailed:
      break;
  }
  return kExitTrouble;
}

// Analyses the files of one case as one job.
Result<CaseFindings> FindingsIn(const RuleSet& rules, const KnowledgeBase& kb, const RuleCase& test) {
  const Knowledge knowledge(&rules, &kb);
  AnalyzerOptions options;
  options.jobs = 1;
  JobAnalysis job(knowledge, options);
  // One thread: a case is a few lines, and thousands of them run one after the other.
  job.AddArguments(test.files);
  job.Read();
  if (!job.problems().empty()) return Status::Io(job.problems().front());
  Result<std::vector<Finding>> findings = job.Findings();
  if (!findings.ok()) return findings.status();
  CaseFindings found;
  found.findings = findings.take();
  found.culprits = CulpritsOfRule(job.digests(), rules, knowledge.kb(), found.findings, test.rule);
  return found;
}

class RulesCommand : public Subcommand {
 public:
  std::string_view name() const override { return "rules"; }
  CommandText text() const override { return kRulesText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("ACTION", action_)->required()->check(CLI::IsMember({"list", "lint", "test"}));
    app->add_option("DIR", directory_);
    AddKbOption(app, &options_.kb_directories);
    AddLanguageOption(app, &language_);
  }

  int Run() override {
    // `list` without a folder lists what is inside the program.
    if (directory_.empty() && action_ != "list") directory_ = "rules/catalog";
    std::error_code error;
    if (!directory_.empty() && !std::filesystem::is_directory(directory_, error)) {
      Complain(directory_ + " is no directory");
      return kExitTrouble;
    }
    Result<Knowledge> knowledge = Knowledge::Load(options_);
    if (!knowledge.ok()) {
      Complain(knowledge.status().message());
      return kExitTrouble;
    }
    knowledge_ = knowledge.take();
    if (action_ == "lint") return Lint();
    return action_ == "list" ? List() : Test();
  }

 private:
  int List() const {
    std::vector<Diagnostic> diagnostics;
    const std::unique_ptr<RuleSet> own = directory_.empty() ? nullptr : RuleSet::LoadOnly(directory_, &diagnostics);
    const RuleSet& rules = own ? *own : RuleSet::Embedded();
    std::string out;
    for (const Rule& rule : rules.rules()) out += Listed(rule);
    // What the catalogue of messages says about causes.
    const KnowledgeBase& kb = knowledge_.kb();
    // Messages of the catalogue judge causes as rules do; they are listed behind these.
    for (size_t i = 0; !own && i < kb.MessageCount(); ++i) {
      const Rule rule = RuleOfMessage(kb, static_cast<int>(i));
      if (!rule.causes.empty()) out += Listed(rule);
    }
    for (const Diagnostic& diagnostic : diagnostics) Complain(diagnostic.file + ": " + diagnostic.message);
    return Print(out, HasError(diagnostics) ? kExitFailed : 0);
  }

  std::string Listed(const Rule& rule) const {
    std::vector<std::string_view> causes;
    for (const Weight& weight : rule.causes) causes.push_back(weight.cause);
    const std::string_view title = language_ == Language::kChinese ? rule.title_zh : rule.title_en;
    return EscapeTerminal(fmt::format("{:<40} {:<9} {:<28} {}", rule.id, WordOf(kRoleWords, rule.role),
                                      causes.empty() ? "-" : fmt::format("{}", fmt::join(causes, ",")), title)) +
           "\n";
  }

  int Lint() const {
    CauseSet causes;
    for (const std::string& id : knowledge_.kb().CauseIds()) causes.insert(id);
    LintOptions options;
    options.causes = &causes;
    // A rule may explain one of the embedded rules, which are then known names.
    for (const Rule& rule : RuleSet::Embedded().rules()) options.further_rules.emplace_back(rule.id);
    Result<std::unique_ptr<Timeline>> timeline = OpenTimeline("");
    // Queries are tried on an empty timeline: that they can be run at all is what lint asks.
    const JobModel empty = BuildJobModel({});
    if (timeline.ok() && timeline.value()->Load(empty).ok()) {
      options.query = [&](std::string_view sql) { return timeline.value()->Query(sql); };
    }
    std::vector<Diagnostic> diagnostics;
    const size_t good = LoadCatalog(directory_, options, &diagnostics).size();
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) out += Shown(diagnostic);
    out += fmt::format("{} rule{} without errors, {} complaint{}\n", good, good == 1 ? "" : "s", diagnostics.size(),
                       diagnostics.size() == 1 ? "" : "s");
    // No rule at all is a wrong folder.
    const bool nothing = good == 0 && diagnostics.empty();
    if (nothing) Complain("no rule.json below " + directory_);
    return Print(out, nothing ? kExitTrouble : HasError(diagnostics) ? kExitFailed : 0);
  }

  int Test() const {
    std::vector<Diagnostic> diagnostics;
    // Only the rules below DIR: what others would say of a case does not count.
    const std::unique_ptr<RuleSet> rules = RuleSet::LoadOnly(directory_, &diagnostics);
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) out += Shown(diagnostic);
    size_t failed = 0;
    const std::vector<RuleCaseResult> results =
        rules ? RunRuleCases(*rules, [&](const RuleSet& set,
                                         const RuleCase& test) { return FindingsIn(set, knowledge_.kb(), test); })
              : std::vector<RuleCaseResult>();
    for (const RuleCaseResult& result : results) {
      if (result.passed) continue;
      ++failed;
      out += EscapeTerminal(fmt::format("FAIL {} {}: {}", result.test.rule, result.test.name, result.message)) + "\n";
    }
    out += fmt::format("{} cases, {} failed\n", results.size(), failed);
    if (results.empty()) {
      Complain("no cases below " + directory_);
      return Print(out, kExitTrouble);
    }
    // Rules that cannot be loaded have cases that never ran.
    return Print(out, failed > 0 || HasError(diagnostics) ? kExitFailed : 0);
  }

  std::string action_;
  std::string directory_;
  AnalyzerOptions options_;
  Knowledge knowledge_;
  Language language_ = Language::kEnglish;
};

}  // namespace

std::unique_ptr<Subcommand> NewRulesCommand() { return std::make_unique<RulesCommand>(); }

}  // namespace ncclwhy
