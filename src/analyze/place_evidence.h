// A line of the input as the report shows it.
#pragma once

#include <string_view>

#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// `role` as in Evidence. A place without a source has no file.
Evidence PlaceEvidence(const JobModel& model, const Place& place, std::string_view role);

}  // namespace ncclwhy
