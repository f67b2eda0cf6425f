// CommandFacts: what a subcommand is called with, from its CLI11 definition: the help, the man page and the completions
// are made of it, so that an option is written once.
//
// Thread safety: plain values.
#pragma once

#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace ncclwhy {

// How a shell completes what stands there.
enum class Takes { kNothing, kWord, kFile, kDirectory, kCause };

struct OptionFacts {
  std::vector<std::string> names;  // "-f", "--format"
  std::string value;               // as CLI11's type name calls it, "F"; empty when it takes none
  std::string text;                // "text (default), json, …"
  std::vector<std::string> choices;
  Takes takes = Takes::kNothing;
};

// An argument without a dash: LOG, DB, ACTION. What it may be, where that is a list.
struct PositionalFacts {
  std::string name;
  std::vector<std::string> choices;
  Takes takes = Takes::kWord;
  bool repeated = false;
};

// Views of the command's constant texts; the rest is owned.
struct CommandFacts {
  std::string name;
  CommandText text;
  std::string title;  // the first sentence of the text
  std::vector<OptionFacts> options;
  std::vector<PositionalFacts> positionals;
};

// Adds the command's options to an app of its own, and reads them there.
CommandFacts FactsOf(Subcommand* command);

// What --help prints: fits a screen of 24 × 80 lines. Short options share a line.
std::string HelpOf(const CommandFacts& command);

}  // namespace ncclwhy
