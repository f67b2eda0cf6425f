#include "cli/subcommand.h"

namespace ncclwhy {

std::vector<std::unique_ptr<Subcommand>> AllCommands() {
  // The help lists them in this order, and the first needs no name.
  std::vector<std::unique_ptr<Subcommand>> commands;
  commands.push_back(NewAnalyzeCommand());
  commands.push_back(NewExplainCommand());
  commands.push_back(NewDiffCommand());
  commands.push_back(NewQueryCommand());
  commands.push_back(NewDigestCommand());
  commands.push_back(NewHistoryCommand());
  commands.push_back(NewRulesCommand());
#ifdef NCCLWHY_WITH_SERVE
  commands.push_back(NewServeCommand());
#endif
  commands.push_back(NewRunCommand());
  commands.push_back(NewCollectCommand());
  commands.push_back(NewShowCommand());
  commands.push_back(NewMinimizeCommand());
  commands.push_back(NewCompletionCommand());
  return commands;
}

}  // namespace ncclwhy
