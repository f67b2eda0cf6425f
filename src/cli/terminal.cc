#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace ncclwhy {

bool IsTerminal(int descriptor) { return isatty(descriptor) == 1; }

int TerminalWidth(int descriptor) {
  // A report in a file is not broken at any width.
  if (!IsTerminal(descriptor)) return 0;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    int value = 0;
    const char* end = columns + std::strlen(columns);
    if (std::from_chars(columns, end, value).ptr == end && value > 0) return value;
  }
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool UseColor(std::string_view when, int descriptor) {
  if (when == "always") return true;
  if (when == "never" || !IsTerminal(descriptor)) return false;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  // NO_COLOR counts when it is not empty: no-color.org.
  return (no_color == nullptr || *no_color == '\0') && (term == nullptr || std::string_view(term) != "dumb");
}

}  // namespace ncclwhy
