// Where prose that has no room is cut: behind a sentence, a clause, a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// Prose that has no room ends with its last whole sentence, or clause in front of a semicolon, if that is a good part
// of what there was room for.
bool EndWithSentence(std::vector<std::string>* lines, size_t rows);

// Where a row that the text goes on behind is best left: behind a clause, else behind a word. Not where that would cost
// half of the row.
size_t EndOfClause(std::string_view row, size_t room);

}  // namespace ncclwhy
