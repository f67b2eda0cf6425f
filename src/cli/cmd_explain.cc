// ncclwhy explain: what is known about a cause, a variable, a code or a message, without any log.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "ncclwhy/explain.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kHelp = R"help(Usage: ncclwhy explain [OPTIONS] [ID|VARIABLE|"MESSAGE"|"TABLE CODE"]
What a cause, an NCCL variable, a code or a message means. Without an argument:
all causes, one line each.
  --lang L      en (default) or zh
  --kb DIR, --rules DIR   add or override knowledge, rules
  --color WHEN  auto (default), always, never
Exit status: 0 explained; 2 nothing is known about it.
Examples: ncclwhy explain shm.too-small
          ncclwhy explain NCCL_IB_GID_INDEX
          ncclwhy explain "xid 79"
          ncclwhy explain "Call to connect returned Connection refused"
)help";

class ExplainCommand : public Subcommand {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view help() const override { return kHelp; }

  void AddOptions(CLI::App* app) override {
    app->add_option("WHAT", words_);
    app->add_option("--lang", language_)->check(CLI::IsMember({"en", "zh"}));
    app->add_option("--kb", options_.kb_directories)->allow_extra_args(false);
    app->add_option("--rules", options_.rule_directories)->allow_extra_args(false);
    app->add_option("--color", color_)->check(CLI::IsMember({"auto", "always", "never"}));
  }

  int Run() override {
    ReportFormat format;
    format.language = language_ == "zh" ? Language::kChinese : Language::kEnglish;
    format.width = TerminalWidth(STDOUT_FILENO);
    format.color = UseColor(color_, STDOUT_FILENO);
    std::string what;  // a message that was not quoted comes as several arguments
    for (const std::string& word : words_) what += (what.empty() ? "" : " ") + word;
    const Result<std::string> text = Explain(what, options_, format);
    if (!text.ok()) {
      Complain(text.status().message());
      return kExitTrouble;
    }
    return WriteStandardOutput(text.value()) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  std::vector<std::string> words_;
  AnalyzerOptions options_;
  std::string language_ = "en";
  std::string color_ = "auto";
};

}  // namespace

std::unique_ptr<Subcommand> NewExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace ncclwhy
