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

constexpr std::string_view kHelp = R"help(Usage: ncclwhy completion bash|zsh|fish
Prints the completions of a shell. Packages install them; without a package,
put them where the shell looks.
Exit status: 0 printed; 2 wrong usage.
Examples: source <(ncclwhy completion bash)
          ncclwhy completion zsh > ~/.zfunc/_ncclwhy
          ncclwhy completion fish > ~/.config/fish/completions/ncclwhy.fish
)help";

class CompletionCommand : public Subcommand {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view help() const override { return kHelp; }

  void AddOptions(CLI::App* app) override {
    app->add_option("SHELL", shell_)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  }

  int Run() override {
    std::vector<CommandFacts> facts;
    for (const auto& command : AllCommands()) facts.push_back(FactsOf(command.get()));
    const std::string text = shell_ == "bash"  ? BashCompletion(facts)
                             : shell_ == "zsh" ? ZshCompletion(facts)
                                               : FishCompletion(facts);
    return WriteStandardOutput(text) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Subcommand> NewCompletionCommand() { return std::make_unique<CompletionCommand>(); }

}  // namespace ncclwhy
