// What a command would show stands in the logs already: somebody called its tool.
//   $ ip route get PEER_ADDRESS; show_gids      show_gids is in these logs already: ticket.txt:296
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// On the first tool that `command` calls and that was called (facts `output`); empty without one. `folder` is left out
// in front of the place. What follows the tool is not compared: whoever looks sees what it was asked.
std::string ShownSentence(const Report& report, std::string_view command, std::string_view folder, const Words& words);

}  // namespace ncclwhy
