#include "cli/source_link.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/escape.h"
#include "cli/terminal.h"

namespace ncclwhy {

// No terminal can be asked whether it knows links: those that do are known by their variables.
bool FollowsLinks(int descriptor) {
  if (!IsTerminal(descriptor)) return false;
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string_view(text == nullptr ? "" : text);
  };
  for (const char* name : {"WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION"}) {
    if (!value(name).empty()) return true;
  }
  // 0.50 was the first that does not print the escape.
  if (const std::string_view vte = value("VTE_VERSION"); vte.size() >= 4 && vte >= "5000") return true;
  for (const char* program : {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}) {
    if (value("TERM_PROGRAM") == program) return true;
  }
  for (const char* term : {"xterm-kitty", "foot", "alacritty", "xterm-ghostty"}) {
    if (value("TERM") == term) return true;
  }
  return false;
}

std::string SourceLink(const std::string& name, uint64_t line) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(name, error);
  if (error || !std::filesystem::is_regular_file(path, error)) return {};
  // No standard has line numbers in it: who does not know the fragment opens the file.
  return "file://" + EscapeUriPath(path.string()) + (line > 0 ? "#" + std::to_string(line) : "");
}

}  // namespace ncclwhy
