// ncclwhy explain: what is known about a cause, a variable, a code or a message, without any log.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "ncclwhy/explain.h"

namespace ncclwhy {
namespace {

constexpr CommandText kExplainText = {
    .usage = R"(ncclwhy explain [OPTIONS] [ID|VARIABLE|"MESSAGE"|"TABLE CODE"])",
    .about = R"(What a cause, an NCCL variable, a code or a message means. Without an argument:
all causes, one line each.)",
    .exit_status = R"(0 explained; 2 nothing is known about it.)",
    .examples = R"(ncclwhy explain shm.too-small
ncclwhy explain NCCL_IB_GID_INDEX
ncclwhy explain "xid 79"
ncclwhy explain "Call to connect returned Connection refused")",
};

class ExplainCommand : public Subcommand {
 public:
  std::string_view name() const override { return "explain"; }
  CommandText text() const override { return kExplainText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("WHAT", words_);
    AddLanguageOption(app, &format_.language);
    AddKnowledgeOptions(app, &options_);
    AddSeenOption(app, &options_.seen);
    AddColorOption(app, &color_);
  }

  int Run() override {
    format_.width = TerminalWidth(STDOUT_FILENO);
    format_.color = UseColor(color_, STDOUT_FILENO);
    std::string what;  // a message that was not quoted comes as several arguments
    for (const std::string& word : words_) what += (what.empty() ? "" : " ") + word;
    // From the most specific to the vaguest: see api/explain.cc.
    const Result<std::string> text = Explain(what, options_, format_);
    if (!text.ok()) {
      Complain(text.status().message());
      return kExitTrouble;
    }
    return WriteStandardOutput(text.value()) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  std::vector<std::string> words_;
  AnalyzerOptions options_;
  ReportFormat format_;
  std::string color_ = "auto";
};

}  // namespace

std::unique_ptr<Subcommand> NewExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace ncclwhy
