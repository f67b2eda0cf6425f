#include "cli/command_facts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>

namespace ncclwhy {
namespace {

// CLI11 writes the check behind the type's name: "F:{text,json}", "N:INT in [1 - 1000]".
// "F:{text,json}": the value's name, and what its check allows.
std::string ValueName(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find_first_of(":["));
}

std::vector<std::string> Choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{');
  const size_t close = type.find('}', open);
  std::vector<std::string> choices;
  if (close == std::string::npos) return choices;
  std::istringstream in(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(in, word, ',');) choices.push_back(word);
  return choices;
}

// By the value's name, so that an option needs to say it once.
Takes TakesOf(std::string_view value) {
  if (value == "FILE" || value == "LOG" || value == "DB") return Takes::kFile;
  if (value == "DIR") return Takes::kDirectory;
  return value == "WHAT" ? Takes::kCause : Takes::kWord;
}

OptionFacts FactsOfOption(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  facts.text = option.get_description();
  // A flag takes nothing.
  if (option.get_items_expected_max() == 0) return facts;
  facts.choices = Choices(option);
  facts.value = ValueName(option);
  facts.takes = TakesOf(facts.value);
  return facts;
}

// A screen has 80 columns; one stays free, since some terminals wrap behind the last one.
constexpr size_t kColumns = 79;
constexpr size_t kTextColumn = 18;
constexpr size_t kSecondColumn = 43;

// "  -f, --format F  text, json"
std::string HelpLine(const OptionFacts& option) {
  std::string out;
  for (const std::string& name : option.names) out += (out.empty() ? "  " : ", ") + name;
  // A line that is longer than the column of texts has its text two blanks behind.
  if (!option.value.empty()) out += " " + option.value;
  out.resize(std::max(out.size() + 2, kTextColumn), ' ');
  return out + option.text;
}

std::string OptionsText(const std::vector<OptionFacts>& options) {
  std::string out, line;
  const auto flush = [&] {
    if (!line.empty()) out += line + "\n";
    line.clear();
  };
  for (const OptionFacts& option : options) {
    std::string next = HelpLine(option);
    // Two options share a line where the first ends before the second column and the second fits behind it.
    if (!line.empty() && line.size() + 2 <= kSecondColumn && next.size() - 2 <= kColumns - kSecondColumn) {
      line.resize(kSecondColumn, ' ');
      line += next.substr(2);
      flush();
      continue;
    }
    flush();
    // Longer texts go on below, at the column of texts.
    for (size_t cut; next.size() > kColumns && (cut = next.rfind(' ', kColumns)) > kTextColumn;) {
      out += next.substr(0, cut) + "\n";
      next = std::string(kTextColumn, ' ') + next.substr(cut + 1);
    }
    line = next;
  }
  flush();
  return out;
}

// "Examples: ncclwhy logs/", and the others below.
std::string Labelled(const std::string& label, std::string_view lines) {
  std::string out = label;
  for (const char c : lines) {
    out += c;
    if (c == '\n') out.append(label.size(), ' ');
  }
  return out + "\n";
}

}  // namespace

CommandFacts FactsOf(Subcommand* command) {
  CommandFacts facts;
  facts.name = std::string(command->name());
  facts.text = command->text();
  // Up to the first full stop: the title in the man page and in completions.
  const std::string about(facts.text.about);
  facts.title = about.substr(0, about.find(".\n"));
  facts.title = facts.title.substr(0, facts.title.find(". "));
  std::replace(facts.title.begin(), facts.title.end(), '\n', ' ');
  // An app of its own: the options are only read here and never parsed.
  CLI::App app("", "ncclwhy");
  app.set_help_flag();
  command->AddOptions(&app);
  const CLI::App& defined = app;
  for (const CLI::Option* option : defined.get_options()) {
    if (!option->get_positional()) {
      facts.options.push_back(FactsOfOption(*option));
      continue;
    }
    const std::string name = option->get_name(true);
    facts.positionals.push_back({name, Choices(*option), TakesOf(name), option->get_items_expected_max() > 1});
  }
  return facts;
}

std::string HelpOf(const CommandFacts& command) {
  const CommandText& text = command.text;
  std::string out = Labelled("Usage: ", text.usage) + std::string(text.about) + "\n" + OptionsText(command.options);
  if (!text.further.empty()) out += std::string(text.further) + "\n";
  out += "Exit status: " + std::string(text.exit_status) + "\n";
  return out + Labelled(text.examples.find('\n') == std::string_view::npos ? "Example: " : "Examples: ", text.examples);
}

}  // namespace ncclwhy
