// AnswerMeasure: how much of everything the short answer tells.
#pragma once

#include <cstddef>

namespace ncclwhy {

// How much of everything is told; an answer that is too long is written again with the next one.
struct AnswerMeasure {
  size_t proofs, quote_rows, culprits, fix_rows, command_lines, candidates, seen, collects, warnings, chain_rows,
      note_rows;
  bool check;       // how to make sure
  size_t harmless;  // lines that sound bad and are not it; of a single one only what alarms
  bool unproven;
};
// What makes sure goes first, then what followed and what sounds bad without alarming, then a third proof,
// then what the lines do not show; what a reader would take for the failure goes last.
inline constexpr AnswerMeasure kAnswerMeasures[] = {
    {4, 2, 2, 3, 8, 3, 3, 2, 2, 3, 2, true, 2, true},   {3, 2, 2, 3, 6, 3, 2, 2, 1, 2, 2, true, 2, true},
    {3, 2, 2, 3, 6, 3, 2, 2, 1, 2, 1, true, 2, true},   {3, 2, 2, 3, 6, 3, 2, 2, 1, 2, 1, false, 2, true},
    {3, 2, 2, 3, 6, 3, 2, 2, 1, 1, 1, false, 1, true},  {2, 2, 2, 3, 6, 3, 2, 2, 1, 1, 1, false, 1, true},
    {3, 2, 2, 3, 6, 3, 2, 2, 1, 3, 1, false, 1, false}, {3, 2, 2, 3, 4, 3, 2, 2, 1, 1, 1, false, 1, false},
    {3, 2, 2, 3, 4, 3, 2, 2, 1, 1, 1, false, 0, false}, {3, 2, 1, 2, 4, 2, 1, 1, 1, 2, 0, false, 0, false},
    {2, 2, 1, 2, 1, 2, 1, 1, 0, 2, 0, false, 0, false}, {2, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, false, 0, false},
};

}  // namespace ncclwhy
