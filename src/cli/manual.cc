#include "cli/manual.h"

#include <cctype>
#include <sstream>
#include <string_view>

#include "ncclwhy/version.h"

namespace ncclwhy {
namespace {

constexpr char kAlwaysThere[] = R"(.TP
.BR \-h ", " \-\-help
Print the help of the command that stands before it, on one screen.
.TP
.BR \-V ", " \-\-version
Print the version.
)";

constexpr char kEnvironment[] = R"(.SH ENVIRONMENT
.TP
.B NO_COLOR
When set, nothing is coloured unless
.B \-\-color always
asks for it.
.TP
.B COLUMNS
The width of the terminal, when it is set.
)";

// Text for roff: no character of it is an escape or a request.
std::string Roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'' || c == '`' || c == '^' || c == '~') {
      out += c == '\'' ? "\\(aq" : c == '`' ? "\\(ga" : c == '^' ? "\\(ha" : "\\(ti";
    } else {
      out += c;
    }
  }
  // A point or an apostrophe that begins a line would be a request; the latter is escaped already.
  return !out.empty() && out.front() == '.' ? "\\&" + out : out;
}

std::string Bold(const std::string& text) { return "\\fB" + Roff(text) + "\\fR"; }

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string Literal(std::string_view text) {
  std::string out = ".PP\n.nf\n";
  for (const std::string& line : Lines(text)) out += Roff(line) + "\n";
  return out + ".fi\n";
}

std::string OptionList(const std::vector<OptionFacts>& options) {
  std::string out;
  for (const OptionFacts& option : options) {
    out += ".TP\n";
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + Bold(name);
    if (!option.value.empty()) names += " \\fI" + Roff(option.value) + "\\fR";
    out += names + "\n" + Roff(option.text) + ".\n";
  }
  return out;
}

// Runs of indented lines stay as they are.
std::string Prose(std::string_view text) {
  std::string out;
  bool literal = false;
  for (const std::string& line : Lines(text)) {
    const bool indented = line.front() == ' ';
    if (indented != literal) out += indented ? ".PP\n.nf\n" : ".fi\n.PP\n";
    literal = indented;
    out += Roff(line) + "\n";
  }
  return out + (literal ? ".fi\n" : "");
}

std::string Section(const CommandFacts& command) {
  std::string out = ".SS ncclwhy " + command.name + "\n" + Bold(std::string(command.text.usage)) + "\n.PP\n" +
                    Prose(command.text.about);
  out += OptionList(command.options);
  if (!command.text.further.empty()) out += ".PP\n" + Prose(command.text.further);
  out += ".PP\nExit status: " + Prose(command.text.exit_status);
  return out + Literal(command.text.examples);
}

}  // namespace

std::string ManPage(const std::vector<CommandFacts>& commands) {
  const CommandFacts& main = commands.front();
  std::string out = ".TH NCCLWHY 1 \"\" \"ncclwhy " NCCLWHY_VERSION "\" \"User Commands\"\n";
  // "Says what broke …" becomes "ncclwhy - says what broke …".
  std::string title = main.title;  // stands after a dash, as it does in other manuals
  if (!title.empty()) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  out += ".SH NAME\nncclwhy \\- " + Roff(title) + "\n.SH SYNOPSIS\n.nf\n";
  for (const CommandFacts& command : commands) out += Bold(std::string(command.text.usage)) + "\n";
  out += ".fi\n.SH DESCRIPTION\n" + Prose(main.text.about);
  out += ".SH OPTIONS\n" + OptionList(main.options) + kAlwaysThere;
  out += ".SH COMMANDS\n";
  for (const CommandFacts& command : commands) {
    if (&command != &main) out += Section(command);
  }
  out += ".SH EXIT STATUS\n" + Prose(main.text.exit_status);
  out += kEnvironment;
  return out + ".SH EXAMPLES\n" + Literal(main.text.examples);
}

}  // namespace ncclwhy
