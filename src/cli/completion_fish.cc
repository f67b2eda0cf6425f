#include <fmt/ranges.h>

#include "cli/completion.h"

namespace ncclwhy {
namespace {

// In a substitution: ids are asked from the program when they are completed.
constexpr char kCauses[] = "(ncclwhy explain --color never 2>/dev/null | string split -f 1 \" \")";

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string FishValues(const std::vector<std::string>& choices, Takes takes) {
  // -x: it takes a value, and no file is offered.
  if (!choices.empty()) return " -x -a " + Quoted(fmt::format("{}", fmt::join(choices, " ")));
  switch (takes) {
    case Takes::kNothing:
      return "";
    case Takes::kFile:
      return " -r -F";
    case Takes::kDirectory:
      return " -x -a '(__fish_complete_directories)'";
    case Takes::kCause:
      return " -f -a " + Quoted(kCauses);
    case Takes::kWord:
      break;
  }
  return " -x";
}

std::string Lines(const CommandFacts& command, const std::string& when) {
  const std::string start = "complete -c ncclwhy -n " + Quoted(when);
  // One condition for all of a command's options, so that none is offered elsewhere.
  std::string out;
  for (const OptionFacts& option : command.options) {
    out += start;
    for (const std::string& name : option.names) {
      out += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    out += FishValues(option.choices, option.takes) + " -d " + Quoted(option.text) + "\n";
  }
  out += start + " -s h -l help -d 'print help'\n";
  bool files = false;
  for (const PositionalFacts& positional : command.positionals) {
    files |= positional.takes == Takes::kFile || positional.takes == Takes::kDirectory;
    if (!positional.choices.empty())
      out += start + " -f -a " + Quoted(fmt::format("{}", fmt::join(positional.choices, " "))) + "\n";
    if (positional.takes == Takes::kCause) out += start + FishValues({}, positional.takes) + "\n";
    if (positional.takes == Takes::kDirectory) out += start + " -f -a '(__fish_complete_directories)'\n";
  }
  // Without it fish offers files everywhere.
  if (!files) out += start + " -f\n";
  return out;
}

}  // namespace

std::string FishCompletion(const std::vector<CommandFacts>& commands) {
  std::string out = "# fish completion for ncclwhy; written by `ncclwhy completion fish`.\n";
  std::string others;
  for (const CommandFacts& command : commands) {
    out += "complete -c ncclwhy -n __fish_use_subcommand -a " + command.name + " -d " + Quoted(command.title) + "\n";
    // The command that needs no name is what is left when none of the others was seen.
    if (&command != &commands.front()) others += " " + command.name;
  }
  out += "complete -c ncclwhy -n __fish_use_subcommand -s V -l version -d 'print the version'\n";
  for (const CommandFacts& command : commands) {
    const bool main = &command == &commands.front();
    out += Lines(command,
                 main ? "not __fish_seen_subcommand_from" + others : "__fish_seen_subcommand_from " + command.name);
  }
  return out;
}

}  // namespace ncclwhy
