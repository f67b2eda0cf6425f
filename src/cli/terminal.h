// The terminal: is there one, how wide, may it be coloured.
#pragma once

#include <string_view>

namespace ncclwhy {

// Whether somebody is to read what is written there now.
bool IsTerminal(int descriptor);

// Columns of the terminal at `descriptor`; $COLUMNS wins. 80 when nobody knows, 0 when it is no terminal.
int TerminalWidth(int descriptor);

// `when` is auto, always or never. auto: a terminal that is not dumb, and NO_COLOR is not set.
bool UseColor(std::string_view when, int descriptor);

}  // namespace ncclwhy
