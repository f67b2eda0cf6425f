// ncclwhy completion: what a shell needs to complete the command line.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command_facts.h"
#include "cli/completion.h"
#include "cli/output.h"
#include "cli/subcommand.h"

namespace ncclwhy {
namespace {

constexpr CommandText kCompletionText = {
    .usage = R"(ncclwhy completion bash|zsh|fish)",
    .about = R"(Prints the completions of a shell. Packages install them; without a package,
put them where the shell looks.)",
    .exit_status = R"(0 printed; 2 wrong usage.)",
    .examples = R"(source <(ncclwhy completion bash)
ncclwhy completion zsh > ~/.zfunc/_ncclwhy
ncclwhy completion fish > ~/.config/fish/completions/ncclwhy.fish)",
};

class CompletionCommand : public Subcommand {
 public:
  std::string_view name() const override { return "completion"; }
  CommandText text() const override { return kCompletionText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("SHELL", shell_)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  }

  int Run() override {
    std::vector<CommandFacts> facts;
    // All facts come from the commands themselves, so an option is completed as soon as it is there.
    for (const auto& command : AllCommands()) facts.push_back(FactsOf(command.get()));
    const std::string text = shell_ == "bash"  ? BashCompletion(facts)
                             : shell_ == "zsh" ? ZshCompletion(facts)
                                               : FishCompletion(facts);
    // A reader that goes away early, `head`, has the lines it wanted.
    return WriteStandardOutput(text) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Subcommand> NewCompletionCommand() { return std::make_unique<CompletionCommand>(); }

}  // namespace ncclwhy
