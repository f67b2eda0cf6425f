#include "cli/command_facts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>

namespace ncclwhy {
namespace {

// What the help says about one option.
struct HelpLine {
  std::string name;
  std::string value;
  std::string text;
};

bool StartsWith(std::string_view text, std::string_view head) { return text.substr(0, head.size()) == head; }

std::string Trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(' ');
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(' ') - from + 1));
}

// "-f, --format F", "--kb DIR, --rules DIR": a value that is written once holds for the names before it.
void AddNames(const std::string& names, std::vector<HelpLine>* lines) {
  const size_t first = lines->size();
  std::istringstream in(names);
  for (std::string word; in >> word;) {
    if (word.back() == ',') word.pop_back();
    if (word.front() == '-') {
      lines->push_back({word, "", ""});
      continue;
    }
    for (size_t i = first; i < lines->size(); ++i) {
      if ((*lines)[i].value.empty()) (*lines)[i].value = word;
    }
  }
}

//   -f, --format F  text (default), json
//   --color WHEN    auto (default), always, never        --version
void AddOptionLine(std::string_view line, std::vector<HelpLine>* lines) {
  std::vector<std::string> cells;
  for (size_t from = line.find_first_not_of(' '); from < line.size();) {
    const size_t end = std::min(line.find("  ", from), line.size());
    cells.emplace_back(line.substr(from, end - from));
    from = std::min(line.find_first_not_of(' ', end), line.size());
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].front() != '-') continue;
    const size_t first = lines->size();
    AddNames(cells[i], lines);
    if (i + 1 == cells.size() || cells[i + 1].front() == '-') continue;
    for (size_t k = first; k < lines->size(); ++k) (*lines)[k].text = cells[i + 1];
  }
}

// Sorts the lines of a help text into the facts; returns those of options.
std::vector<HelpLine> ReadHelp(std::string_view help, CommandFacts* facts) {
  enum class Part { kProse, kOptions, kAlso, kExit, kExamples } part = Part::kProse;
  std::vector<HelpLine> lines;
  std::istringstream in{std::string(help)};
  for (std::string line; std::getline(in, line);) {
    if (StartsWith(line, "Usage: ")) {
      facts->usage = line.substr(7);
    } else if (StartsWith(line, "  -")) {
      part = Part::kOptions;
      AddOptionLine(line, &lines);
    } else if (part == Part::kOptions && StartsWith(line, "     ")) {
      if (!lines.empty()) lines.back().text += " " + Trimmed(line);
    } else if (StartsWith(line, "Also: ")) {
      part = Part::kAlso;
    } else if (StartsWith(line, "Exit status: ")) {
      part = Part::kExit;
      facts->exit_status = line.substr(13);
    } else if (StartsWith(line, "Example")) {
      part = Part::kExamples;
      facts->examples.push_back(Trimmed(line.substr(line.find(':') + 1)));
    } else if (part == Part::kExamples) {
      facts->examples.push_back(Trimmed(line));
    } else if (part == Part::kExit) {
      facts->exit_status += " " + Trimmed(line);
    } else if (part != Part::kAlso || !StartsWith(line, " ")) {
      part = Part::kProse;
      facts->prose.push_back(line);
    }
  }
  std::string text;
  for (const std::string& line : facts->prose) text += line + " ";
  facts->title = Trimmed(text.substr(0, text.find(". ")));
  return lines;
}

// The words between the braces of "TEXT:{en,zh}".
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

Takes TakesOf(std::string_view value) {
  if (value == "FILE" || value == "LOG" || value == "DB") return Takes::kFile;
  if (value == "DIR") return Takes::kDirectory;
  return value == "WHAT" ? Takes::kCause : Takes::kWord;
}

OptionFacts FactsOfOption(const CLI::Option& option, const std::vector<HelpLine>& help) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  for (const HelpLine& line : help) {
    if (std::find(facts.names.begin(), facts.names.end(), line.name) == facts.names.end()) continue;
    facts.text = line.text;
    facts.value = line.value;
  }
  if (option.get_items_expected_max() == 0) {
    facts.value.clear();
    return facts;
  }
  facts.choices = Choices(option);
  if (facts.value.empty()) facts.value = "VALUE";
  facts.takes = TakesOf(facts.value);
  return facts;
}

}  // namespace

CommandFacts FactsOf(Subcommand* command) {
  CommandFacts facts;
  facts.name = std::string(command->name());
  const std::vector<HelpLine> help = ReadHelp(command->help(), &facts);
  CLI::App app("", "ncclwhy");
  app.set_help_flag();
  command->AddOptions(&app);
  const CLI::App& defined = app;
  for (const CLI::Option* option : defined.get_options()) {
    if (option->get_positional()) {
      PositionalFacts positional;
      positional.name = option->get_name(true);
      positional.choices = Choices(*option);
      positional.takes = TakesOf(positional.name);
      positional.repeated = option->get_items_expected_max() > 1;
      facts.positionals.push_back(std::move(positional));
      continue;
    }
    facts.options.push_back(FactsOfOption(*option, help));
    if (facts.options.back().text.empty()) facts.unexplained.push_back(facts.options.back().names.back());
  }
  return facts;
}

}  // namespace ncclwhy
