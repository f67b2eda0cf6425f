// ncclwhy: picks the subcommand, parses its options, returns its exit status. `ncclwhy LOG...` is `ncclwhy analyze
// LOG...`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "base/escape.h"
#include "cli/broken_pipes.h"
#include "cli/command_facts.h"
#include "cli/did_you_mean.h"
#include "cli/manual.h"
#include "cli/output.h"
#include "cli/standard_streams.h"
#include "cli/subcommand.h"
#include "ncclwhy/version.h"
#include "source_version.h"  // made by the build

namespace ncclwhy {
namespace {

int Print(std::string_view text) { return WriteStandardOutput(text) == Written::kFailed ? kExitTrouble : 0; }

// For the build, which installs it. Every option has to say what it does.
int PrintManual(const std::vector<std::unique_ptr<Subcommand>>& commands) {
  std::vector<CommandFacts> facts;
  for (const auto& command : commands) {
    facts.push_back(FactsOf(command.get()));
    for (const OptionFacts& option : facts.back().options) {
      if (!option.text.empty()) continue;
      Complain("nothing is said about " + option.names.back() + " of " + facts.back().name);
      return kExitTrouble;
    }
  }
  return Print(ManPage(facts));
}

int Dispatch(std::vector<std::string> arguments) {
  const std::vector<std::unique_ptr<Subcommand>> commands = AllCommands();

  std::string typed = "ncclwhy";
  for (const std::string& word : arguments) typed += " " + ShellQuote(word);
  // `kubectl logs … | ncclwhy`: without arguments standard input is read.
  if (arguments.empty()) arguments = {"analyze"};
  if (arguments[0] == "--version" || arguments[0] == "-V") return Print("ncclwhy " NCCLWHY_VERSION NCCLWHY_SOURCE "\n");
  // Not in the help: the build asks it.
  if (arguments[0] == "--help-man") return PrintManual(commands);
  Subcommand* chosen = commands.front().get();
  // A command only as the first word; everywhere else it is the name of a log.
  for (const auto& command : commands) {
    if (command->name() == arguments[0]) {
      chosen = command.get();
      arguments.erase(arguments.begin());
      break;
    }
  }
  CLI::App app("", "ncclwhy");
  app.set_help_flag("-h,--help");
  chosen->Typed(typed);
  try {
    chosen->AddOptions(&app);
    // CLI11 takes them from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // the last first
  } catch (const CLI::CallForHelp&) {
    return Print(HelpOf(FactsOf(chosen)));
  } catch (const CLI::ParseError& error) {
    Complain(WrongUsage(app, arguments, error) + "; see ncclwhy " +
             (chosen == commands.front().get() ? "" : std::string(chosen->name()) + " ") + "--help");
    return kExitTrouble;
  }
  return chosen->Run();
}

}  // namespace
}  // namespace ncclwhy

int main(int argc, char** argv) {
  ncclwhy::KeepClosedStreamsFree();
  ncclwhy::IgnoreBrokenPipes();
  ncclwhy::NoticeFileLimits();
  try {
    return ncclwhy::Dispatch(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const std::exception& error) {
    ncclwhy::Complain(error.what());
    return ncclwhy::kExitTrouble;
  }
}
