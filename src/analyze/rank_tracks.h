// What each rank did while the story went on: when it worked, waited, complained and ended, on one axis.
//
//   rank 0   ======== 22/60 steps          ! gave up      by seconds, where the steps have a clock;
//   rank 2   ===================== call 36                by collectives issued, where NCCL lists these
#pragma once

#include <vector>

#include "analyze/case_file.h"
#include "analyze/line_times.h"
#include "analyze/story_clocks.h"
#include "job/life_sign.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Fills `axis` and `tracks` of a report, and `at` of its timeline, which `clock` has put on one clock. Of all ranks
// that communicators, processes, the program's roll call or its launcher tell of. `signs` are those of the items.
void TellTracks(const CaseFile& c, const std::vector<LifeSign>& signs, const StoryClock& clock, LineTimes* times,
                Report* report);

}  // namespace ncclwhy
