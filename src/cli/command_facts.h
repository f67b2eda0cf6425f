// CommandFacts: what the man page and the shell completions say about a subcommand.
//
// Names, choices and kinds of options come from the CLI11 definition; words come from the help text, so that each is
// written once. An option that the help text does not mention is in `unexplained`.
//
// Thread safety: plain values.
#pragma once

#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace ncclwhy {

enum class Takes { kNothing, kWord, kFile, kDirectory, kCause };

struct OptionFacts {
  std::vector<std::string> names;  // "-f", "--format"
  std::string value;               // as the help calls it, "F"; empty when it takes none
  std::string text;                // "text (default), json, …"
  std::vector<std::string> choices;
  Takes takes = Takes::kNothing;
};

struct PositionalFacts {
  std::string name;
  std::vector<std::string> choices;
  Takes takes = Takes::kWord;
  bool repeated = false;
};

struct CommandFacts {
  std::string name;
  std::string usage;  // what stands behind "Usage: "
  std::string title;  // the first sentence of the help
  // The help without usage, options, exit status and examples. Lines that begin with a space are to be kept as they
  // are, the others are one running text.
  std::vector<std::string> prose;
  std::vector<OptionFacts> options;
  std::vector<PositionalFacts> positionals;
  std::string exit_status;
  std::vector<std::string> examples;
  std::vector<std::string> unexplained;
};

CommandFacts FactsOf(Subcommand* command);

}  // namespace ncclwhy
