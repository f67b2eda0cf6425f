#include "cli/did_you_mean.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "cli/command_words.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  // Long names only: one letter is near every other one.
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// CLI11 says `--format: pdf not in {text,full,json}`.
std::string NearestChoice(std::string_view sentence, Language language) {
  constexpr std::string_view kNotIn = " not in {";
  const size_t at = sentence.find(kNotIn);
  const size_t colon = sentence.find(": ");
  const size_t end = sentence.rfind('}');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at || end < at) return {};
  std::vector<std::string> choices;
  std::string_view list = sentence.substr(at + kNotIn.size(), end - at - kNotIn.size());
  for (size_t comma = 0; comma != std::string_view::npos;) {
    comma = list.find(',');
    choices.emplace_back(list.substr(0, comma));
    if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
  }
  return DidYouMean(std::string(sentence.substr(colon + 2, at - colon - 2)), choices, language);
}

}  // namespace

// The name itself is not "meant": then something else is wrong with it.
std::string DidYouMean(const std::string& name, const std::vector<std::string>& names, Language language) {
  const std::string_view nearest = NearestName(name, {names.begin(), names.end()});
  return nearest.empty() || nearest == name ? std::string() : Filled(WordsOf(language).did_you_mean, nearest);
}

std::string WrongUsage(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error) {
  std::string out = error.what();
  std::replace(out.begin(), out.end(), '\n', ' ');
  // CLI11's sentences have several lines and full stops of their own.
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  const Language language = LanguageAmong(arguments);
  const std::string choice = NearestChoice(out, language);
  out = InLanguage(std::move(out), language);
  if (!choice.empty()) return out + choice;
  const std::vector<std::string> names = OptionNames(app);
  for (const std::string& argument : arguments) {
    // Behind -- stands the command of `run`.
    if (argument == "--") break;
    const std::string name = argument.substr(0, argument.find('='));
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (known || !name.starts_with("--")) continue;
    if (const std::string meant = DidYouMean(name, names, language); !meant.empty()) return out + meant;
  }
  return out;
}

}  // namespace ncclwhy
