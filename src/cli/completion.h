// Completions for shells, as the text of the file that the shell reads.
#pragma once

#include <string>
#include <vector>

#include "cli/command_facts.h"

namespace ncclwhy {

// The first command is the one that needs no name. Ids of causes are asked from the program when they are completed.
std::string BashCompletion(const std::vector<CommandFacts>& commands);
std::string ZshCompletion(const std::vector<CommandFacts>& commands);
std::string FishCompletion(const std::vector<CommandFacts>& commands);

}  // namespace ncclwhy
