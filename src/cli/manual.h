// The man page, ncclwhy(1).
#pragma once

#include <string>
#include <vector>

#include "cli/command_facts.h"

namespace ncclwhy {

// roff with the `man` macros. The first command is the one that needs no name.
std::string ManPage(const std::vector<CommandFacts>& commands);

}  // namespace ncclwhy
