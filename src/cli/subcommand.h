// A subcommand: its options, its help and what it does. One per file cmd_<name>.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// In the order of README.md: what is used most comes first. Each is made once and run at most once.
namespace CLI {
class App;
}

namespace ncclwhy {

// Exit status of every subcommand for wrong usage and for input or output that failed.
inline constexpr int kExitTrouble = 2;

// The words about a command; its options are in CLI11's definitions. Lines as --help prints them.
struct CommandText {
  std::string_view usage;
  std::string_view about;         // begins with a sentence; lines that begin with a space stay as they are
  std::string_view further = {};  // behind the options
  std::string_view exit_status = {};
  std::string_view examples = {};
};

class Subcommand {
 public:
  virtual ~Subcommand() = default;
  virtual std::string_view name() const = 0;
  // Constant texts: views of the program.
  virtual CommandText text() const = 0;
  // With the words of the help: a description, and the name of the value as type name.
  virtual void AddOptions(CLI::App* app) = 0;
  // What was typed, for a shell: "ncclwhy --format html logs/". In front of AddOptions, to a command that wants it.
  virtual void Typed(const std::string& command) { static_cast<void>(command); }
  // After the command line was parsed. The exit status.
  virtual int Run() = 0;
};

std::unique_ptr<Subcommand> NewAnalyzeCommand();
std::unique_ptr<Subcommand> NewExplainCommand();
std::unique_ptr<Subcommand> NewDiffCommand();
std::unique_ptr<Subcommand> NewQueryCommand();
std::unique_ptr<Subcommand> NewDigestCommand();
std::unique_ptr<Subcommand> NewHistoryCommand();
std::unique_ptr<Subcommand> NewRulesCommand();
std::unique_ptr<Subcommand> NewRunCommand();
std::unique_ptr<Subcommand> NewCollectCommand();
std::unique_ptr<Subcommand> NewServeCommand();  // when built with NCCLWHY_BUILD_SERVE
std::unique_ptr<Subcommand> NewCompletionCommand();
std::unique_ptr<Subcommand> NewShowCommand();
std::unique_ptr<Subcommand> NewMinimizeCommand();

// One of each that this program was built with; the first is the one that needs no name.
std::vector<std::unique_ptr<Subcommand>> AllCommands();

}  // namespace ncclwhy
