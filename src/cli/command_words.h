// What the command says on standard error beside any report, in English and Chinese.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/language.h"

namespace ncclwhy {

struct CommandWords {
  std::string_view paste, waiting, empty_input;     // of standard input
  std::string_view list;                            // between names
  std::string_view missing;                         // {names} one|many
  std::string_view no_match, no_files;              // {glob}, {folder}
  std::string_view stands_first;                    // {command}
  std::string_view database, timeline;              // {file}
  std::string_view see;                             // {command}
  std::string_view unexpected, among, is_required;  // parts of CLI11's sentences on a wrong command line
};

const CommandWords& CommandWordsOf(Language language);

// That of `--lang zh` among arguments which could not be parsed.
Language LanguageAmong(const std::vector<std::string>& arguments);

// A sentence of CLI11's, whose words are English, in the reader's language as far as we have it.
//    --format: htlm not in {text,json}
std::string InLanguage(std::string sentence, Language language);

}  // namespace ncclwhy
