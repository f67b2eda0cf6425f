// What somebody probably meant who misspelt an option, a value or a command.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/language.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ncclwhy {

// `arguments` are those of the command line, so that a misspelt one can be found among them.
// Why the command line was refused, in one sentence without a full stop, with what was probably meant. In the language
// that they ask for.
std::string WrongUsage(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error);

// "; did you mean NAME?", or nothing when no name is near.
std::string DidYouMean(const std::string& name, const std::vector<std::string>& names, Language language);

}  // namespace ncclwhy
