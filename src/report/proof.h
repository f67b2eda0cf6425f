// Proof: the few lines that a short answer quotes, chosen from everything that a report knows.
//
//   rank0.log:55  WorkNCCL(SeqNum=39, OpType=ALLREDUCE, …) ran for 6002 milliseconds before timing out.
//   rank1.log:33  WorkNCCL(SeqNum=39, OpType=ALLGATHER, …) ran for 6000 milliseconds before timing out.
//
// Lines that say the same with other numbers are one; lines that differ in a word (two operations under one number) are
// quoted side by side. Where it is a silence that tells, the last life sign of who went silent and of one who did not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

struct Proof {
  std::string file;   // empty for what is missing
  uint64_t line = 0;  // 0 when there is none
  std::string text;   // empty when only the note tells
  std::string note;
  uint64_t count = 1;             // lines like it, it among them, where they are counted
  std::vector<std::string> also;  // places where the same is said
};

// As many as a short answer quotes.
inline constexpr size_t kShownProofs = 4;

// At most `most`, in the order to quote. When no cause is likely: the lines that report the failure.
std::vector<Proof> ProofOf(const Report& report, const Words& words, size_t most);

// What followed, with whose lines tell of it, and how the job ended, in order and without what is quoted already:
//   rank 0–2: socketProgress: Connection closed by remote peer node7<43083>
std::vector<std::string> ChainOf(const Report& report, const std::vector<Proof>& quoted, const Words& words);

// The same as one sentence, with the ranks that only follow:
//   rank 0: Got completion … → ranks 1-5: no progress for 6 s; the lines of ranks 1-5 only follow
// `row`: the width of a row; the last clause is left out where it would take another one.
std::string ChainSentence(const Report& report, const std::vector<Proof>& quoted, const Words& words,
                          size_t columns = std::string::npos, size_t row = std::string::npos);

// As one sentence with arrows; without links at its end of which `columns` would show their first words only.
std::string Joined(std::vector<std::string> chain, size_t columns = std::string::npos);

// Whether a command is told by a longer one.
//   sbatch --exclude=node3 job.sh        below a fix of        sbatch --requeue --exclude=node3 job.sh
bool IsPartOf(std::string_view command, std::string_view longer);

// "job.log:12" behind a line that stands in running text; ":12" where the name is long and there is no other source.
std::string PlaceInLine(const Report& report, std::string_view file, uint64_t line);

// What all of the names have in common, to be printed once: their folder with its slash, or the file itself where it is
// the only one and its name is long (`run_20260426_gbs4_pack_offload__stdout.log.gz`); empty when there is nothing.
std::string CommonPlace(const std::vector<std::string>& names);

}  // namespace ncclwhy
