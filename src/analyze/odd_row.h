// Odd row: the row of whoever is blamed in a table beside the log, where it differs from those of all others.
//   dl25  580.82.07  5.15.0-131      dl26  570.133.20  5.15.0-113      dl27  580.82.07  5.15.0-131
//   == n0420 / ulimit -l unlimited      == n0421 / ulimit -l 64      == n0422 / ulimit -l unlimited
#pragma once

#include <vector>

#include "analyze/case_file.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// At most two, each with what the others have as its note. Only of a cause that blames one host (or pod), and of rows
// or blocks of at least three of them.
std::vector<Evidence> OddRows(const CaseFile& c, const std::vector<Culprit>& culprits);

}  // namespace ncclwhy
