// Links from a report on a terminal to the lines that it quotes (OSC 8).
#pragma once

#include <cstdint>
#include <string>

namespace ncclwhy {

// Does the terminal at `descriptor` follow links? As it says of itself in the environment; unknown ones get none.
bool FollowsLinks(int descriptor);

// file:///home/me/rank3.log#41 for a source of a report; empty for what is no file by that name: standard input, a
// member of an archive.
std::string SourceLink(const std::string& name, uint64_t line);

}  // namespace ncclwhy
