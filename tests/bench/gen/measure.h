// Measure: how many steps (or repeats of a WARN) make a log of the wanted size.
#pragma once

#include "gen/spec.h"

namespace ncclwhy::bench {

// Sets spec->steps, or spec->repeats where WARN lines fill the log. Returns false when nothing in this scenario
// repeats, so that the size cannot be had.
bool FitToSize(Spec* spec);

}  // namespace ncclwhy::bench
