// Lines that sound like the failure and are none, as a part of the short answer:
//   CUDA out of memory. Tried to allocate 2.50 GiB (job.log:217: the program caught it and went on, 11 more steps)
#pragma once

#include <cstddef>
#include <string>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// At most `most`. What does not alarm is told where room is for more than one, and what most healthy jobs print only
// of a quote of a few lines. `well`: only what was got over, and no warning tells.
std::string HarmlessSentence(const Report& report, const Words& words, size_t most, bool well, bool quote);

}  // namespace ncclwhy
