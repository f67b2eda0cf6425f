// Joins the processes of records (a flight recorder's dump) to those that print lines: what a dump says of its process
// is a rank of the world, neither host nor pid.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Whether a source is a record: it has no lines.
bool IsRecord(const SourceFacts& facts);

// Finds the process of a record, or makes one, and fills process_of and only_process_of of that source. All sources of
// lines were tracked before.
void TrackRecord(JobModel& model, uint32_t source);

}  // namespace ncclwhy
