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

// The beginning of `text` in at most `columns`, in whole words: half a path or name leads nowhere. Other words are cut
// where the whole ones would leave much of the room empty, and Chinese between any two characters.
//    "RuntimeError: NCCL error in:"     of     "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:825"
std::string_view WholeWords(std::string_view text, size_t columns);

// With the sign that something is left out, behind a blank where it would look like part of a name.
//    "Error while creating shared memory segment /dev/shm/nccl-Bv5h3H …"
std::string WithCutSign(std::string_view text);

}  // namespace ncclwhy
