// Whether an answer may say that all is well. What was not read, not kept or stopped could hold a failure, so an answer
// that lacks it is never "healthy": it is undetermined, and its problems and coverage say what is missing.
#pragma once

#include "ncclwhy/report.h"

namespace ncclwhy {

// Whether something was lost that could have spoken of a failure: processes or communicators beyond the limits, matches
// that ran out of memory, records that were refused. The rest of a line that is too long does not count, programs print
// such lines while all is well.
bool LostEvidence(const Coverage& coverage);

// Of a report that lacks a part of what it was asked about.
void BarHealthy(Report* report);

}  // namespace ncclwhy
