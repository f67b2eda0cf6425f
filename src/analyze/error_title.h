// The exception as the title of a cause, and whose it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// "RuntimeError: loss is nan, rank 7, train.py:212": the exception, whose it is, and the program's own line; empty
// where nothing that speaks for the cause was raised.
std::string ErrorTitle(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits);

// Those that print the same exception themselves, where several do: no peer died first, all met the same.
//   [rank4]: KeyError: 'SM_CHANNEL_TRAIN'      [rank12]: KeyError: 'SM_CHANNEL_TRAIN'
std::vector<int32_t> RaisedByAll(const CaseFile& c, const Hypothesis& h);

// Whether these are all ranks of the job that are known, on more than one host: then no machine is to blame.
bool AreAllRanks(const JobModel& model, const std::vector<int32_t>& ranks);

}  // namespace ncclwhy
