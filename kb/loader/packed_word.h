// What a word speaks for, packed: the words of complaints are ten thousand, each with some weights, and as JSON the
// names of their causes would be a tenth of the program.
//   {"rarity": 5.56, "causes": {"app.rank-crashed": -0.04, "host.oom": 3.06}}     "556 4:-4 57:306"
// Hundredths; causes by their places among all.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kb/loader/kb_tables.h"

namespace ncclwhy {

// `json` is an entry of kb/words, `causes` all of the knowledge; what is none of them is left out.
std::string PackWord(const std::string& json, const std::map<std::string, std::string>& causes);

// Of a record that PackWord made, among the causes of the same tables.
WordKnowledge UnpackWord(const KbTables& tables, const KbRecord& record);

// As it stands in kb/words, but for the word.
std::string JsonOfWord(const WordKnowledge& word);

}  // namespace ncclwhy
