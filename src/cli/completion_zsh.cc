#include "cli/completion.h"

namespace ncclwhy {
namespace {

constexpr char kZshHead[] = R"zsh(#compdef ncclwhy
# zsh completion for ncclwhy; written by `ncclwhy completion zsh`.

_ncclwhy_causes() {
  local -a causes
  causes=(${${(f)"$(ncclwhy explain --color never 2>/dev/null)"}%% *})
  _describe -t causes cause causes
}

)zsh";

constexpr char kTail[] = R"zsh(
  if (( CURRENT == 2 )); then
    [[ $words[2] == -* ]] || _describe -t commands command commands
    _ncclwhy_analyze
  elif (( $+functions[_ncclwhy_$words[2]] )); then
    shift words
    (( CURRENT-- ))
    _ncclwhy_$words[1]
  else
    _ncclwhy_analyze
  fi
}

_ncclwhy "$@"
)zsh";

// Inside single quotes, in a place where brackets and colons mean something.
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

// ":F:(text json)"
std::string ZshAction(const std::string& name, const std::vector<std::string>& choices, Takes takes) {
  std::string out = ":" + Escaped(name) + ":";
  if (!choices.empty()) {
    for (size_t i = 0; i < choices.size(); ++i) out += (i == 0 ? "(" : " ") + choices[i];
    return out + ")";
  }
  switch (takes) {
    case Takes::kFile:
      return out + "_files";
    case Takes::kDirectory:
      return out + "_files -/";
    case Takes::kCause:
      return out + "_ncclwhy_causes";
    case Takes::kNothing:
    case Takes::kWord:
      break;
  }
  // A blank as action: something is expected, and nothing is offered.
  return out + " ";
}

// '(-f --format)'{-f+,--format=}'[text]:F:(text json)'
// Only options that take directories may be given again; all others exclude themselves.
std::string Spec(const OptionFacts& option) {
  const bool value = option.takes != Takes::kNothing;
  const bool repeated = option.takes == Takes::kDirectory;
  std::string all, forms;
  for (const std::string& name : option.names) {
    all += (all.empty() ? "" : " ") + name;
    forms += (forms.empty() ? "" : ",") + name + (value ? name[1] == '-' ? "=" : "+" : "");
  }
  std::string out = repeated ? "'*'" : "'(" + all + ")'";
  out += option.names.size() > 1 ? "{" + forms + "}" : forms;
  out += "'[" + Escaped(option.text) + "]";
  if (value) out += ZshAction(option.value, option.choices, option.takes);
  return out + "'";
}

std::string Function(const CommandFacts& command, bool main) {
  std::string out = "_ncclwhy_" + command.name + "() {\n  _arguments -s -S";
  for (const OptionFacts& option : command.options) out += " \\\n    " + Spec(option);
  out += " \\\n    '(- *)'{-h,--help}'[print help]'";
  if (main) out += " \\\n    '(- *)'{-V,--version}'[print the version]'";
  int position = 0;
  for (const PositionalFacts& positional : command.positionals) {
    const std::string place = positional.repeated ? "*" : std::to_string(++position);
    out += " \\\n    '" + place + ZshAction(positional.name, positional.choices, positional.takes) + "'";
  }
  return out + "\n}\n\n";
}

}  // namespace

std::string ZshCompletion(const std::vector<CommandFacts>& commands) {
  std::string out = kZshHead;
  for (const CommandFacts& command : commands) out += Function(command, &command == &commands.front());
  out += "_ncclwhy() {\n  local -a commands=(\n";
  for (const CommandFacts& command : commands) {
    out += "    '" + command.name + ":" + Escaped(command.title) + "'\n";
  }
  return out + "  )" + kTail;
}

}  // namespace ncclwhy
