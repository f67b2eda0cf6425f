#include <fmt/ranges.h>

#include "cli/completion.h"

namespace ncclwhy {
namespace {

constexpr char kBashHead[] = R"bash(# bash completion for ncclwhy; written by `ncclwhy completion bash`.

_ncclwhy_words() {
    compopt +o default +o bashdefault 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_ncclwhy_causes() {
    _ncclwhy_words "$(ncclwhy explain --color never 2>/dev/null | cut -d ' ' -f 1)"
}

_ncclwhy() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command
    COMPREPLY=()
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = && COMP_CWORD -gt 2 ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
)bash";

std::string Joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

// An empty COMPREPLY leaves file names to readline, which quotes them.
std::string BashValues(const std::vector<std::string>& choices, Takes takes) {
  if (!choices.empty()) return "_ncclwhy_words \"" + Joined(choices, " ") + "\"";
  switch (takes) {
    case Takes::kDirectory:
      return "compopt -o dirnames +o default +o bashdefault 2>/dev/null";
    case Takes::kCause:
      return "_ncclwhy_causes";
    case Takes::kFile:
      return ":";
    case Takes::kNothing:
    case Takes::kWord:
      break;
  }
  // An empty list of words: nothing is offered, and no file either.
  return "_ncclwhy_words \"\"";
}

std::string Positionals(const CommandFacts& command) {
  std::string out;
  // Behind a list of choices a directory may follow: `rules lint DIR`.
  bool choices = false;
  for (const PositionalFacts& positional : command.positionals) {
    const bool more = choices && positional.takes == Takes::kDirectory;
    if (out.empty()) out = BashValues(positional.choices, positional.takes);
    if (more) out += "; compopt -o plusdirs 2>/dev/null";
    choices = !positional.choices.empty();
  }
  return out.empty() ? BashValues({}, Takes::kWord) : out;
}

std::string Case(const CommandFacts& command, bool main) {
  std::string out = "    " + command.name + ")\n        case $prev in\n";
  std::vector<std::string> names = {"-h", "--help"};
  if (main) names.insert(names.end(), {"-V", "--version"});
  // The value of an option is completed where the word in front is its name.
  for (const OptionFacts& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (option.takes == Takes::kNothing) continue;
    out += "        " + Joined(option.names, "|") + ") " + BashValues(option.choices, option.takes) + "; return ;;\n";
  }
  out += "        esac\n        if [[ $cur == -* ]]; then\n            _ncclwhy_words \"" + Joined(names, " ");
  return out + "\"\n        else\n            " + Positionals(command) + "\n        fi\n        ;;\n";
}

}  // namespace

std::string BashCompletion(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> names;
  for (const CommandFacts& command : commands) names.push_back(command.name);
  std::string out = kBashHead;
  out += "    command=" + commands.front().name + "\n    case ${COMP_WORDS[1]} in\n    " + Joined(names, "|") +
         ") ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]} ;;\n    esac\n";
  // Files as well as commands: `ncclwhy LOG` is the short form of `ncclwhy analyze LOG`.
  out +=
      "    if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then\n        compopt -o filenames 2>/dev/null\n"
      "        mapfile -t COMPREPLY < <(compgen -W \"" +
      Joined(names, " ") + "\" -- \"$cur\"; compgen -f -- \"$cur\")\n        return\n    fi\n";
  out += "    case $command in\n";
  for (const CommandFacts& command : commands) out += Case(command, &command == &commands.front());
  return out + "    esac\n}\n\ncomplete -o bashdefault -o default -F _ncclwhy ncclwhy\n";
}

}  // namespace ncclwhy
