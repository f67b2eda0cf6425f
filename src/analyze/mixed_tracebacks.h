// Tracebacks of two processes whose lines alternate in one stream without a label:
//
//   Traceback (most recent call last):
//   Traceback (most recent call last):
//     File "/opt/app/train.py", line 88, in main
//     File "/opt/app/data.py", line 40, in load
//   RuntimeError: loss is nan
//   FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-5.bin'
//
// Nothing tells whose a frame is, nor which of the two was first.
#pragma once

#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// The exceptions beside those that the evidence of a cause shows.
std::vector<Evidence> OtherTracebacks(const CaseFile& c, const Hypothesis& h);

// Whether a line is such an exception: it follows from nothing that the cause shows.
bool IsOtherTraceback(const CaseFile& c, const Hypothesis& h, const Finding& f);

}  // namespace ncclwhy
