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
#include "cli/command_words.h"
#include "cli/did_you_mean.h"
#include "cli/manual.h"
#include "cli/output.h"
#include "cli/standard_streams.h"
#include "cli/subcommand.h"
#include "ncclwhy/version.h"
#include "report/phrases.h"
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

// ncclwhy help minimize
int PrintHelp(const std::string& name, const std::vector<std::unique_ptr<Subcommand>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command->name() == name) return Print(HelpOf(FactsOf(command.get())));
    names.emplace_back(command->name());
  }
  Complain(name + ": no such command" + DidYouMean(name, names, Language::kEnglish));
  return kExitTrouble;
}

int Dispatch(std::vector<std::string> arguments) {
  const std::vector<std::unique_ptr<Subcommand>> commands = AllCommands();

  std::string typed = "ncclwhy";
  for (const std::string& word : arguments) typed += " " + ShellQuote(word);
  // `kubectl logs … | ncclwhy`: without arguments standard input is read.
  if (arguments.empty()) arguments = {"analyze"};
  const std::string& first = arguments[0];
  if (first == "--version" || first == "-V" || first == "version") {
    return Print("ncclwhy " NCCLWHY_VERSION NCCLWHY_SOURCE "\n");
  }
  if (first == "help" && arguments.size() > 1) return PrintHelp(arguments[1], commands);
  if (first == "help") arguments[0] = "--help";
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
    const std::string command = chosen == commands.front().get() ? std::string() : std::string(chosen->name()) + " ";
    Complain(WrongUsage(app, arguments, error) + Filled(CommandWordsOf(LanguageAmong(arguments)).see, command));
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
