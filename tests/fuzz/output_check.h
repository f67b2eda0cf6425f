// What holds for every rendering of every report: valid UTF-8, nothing hidden, nothing that its format would obey.
#pragma once

#include <string>

#include "ncclwhy/report.h"

namespace ncclwhy::fuzz {

// Renders in every format and ends the process when one of them lets something through.
void CheckRenderings(const Report& report);

}  // namespace ncclwhy::fuzz
