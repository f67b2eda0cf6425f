// What became of the job, in a sentence.
//
//   hung, 41,200 iterations in 3 h 12 min, checkpoint saved at step 41000 (rank0.log:88210), first sign at 09:50:22
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// "failed"; empty where it is not known.
std::string_view OutcomeWord(Outcome outcome, const Words& words);

// "failed, 41,200 iterations in 3 h 12 min": how far it came, and from which state it can go on; of an excerpt how much
// was seen.
// `folder`: told beside it, so that places in it are named without.
std::string HowFar(const Report& report, const Words& words, std::string_view folder = {});

// The same, with when it showed and was over, or what shows it.
std::string OutcomeSentence(const Report& report, const Words& words, std::string_view folder = {});

}  // namespace ncclwhy
