// A line of the input as the report shows it.
#pragma once

#include <optional>
#include <string_view>

#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// The first event at a line, or the first of a kind; null when there is none.
const Event* EventAt(const JobModel& model, SourceId source, uint64_t line, std::optional<EventKind> kind = {});

// `role` as in Evidence. A place without a source has no file. Of a stack the frames are shown, innermost first.
Evidence PlaceEvidence(const JobModel& model, const Place& place, std::string_view role);

}  // namespace ncclwhy
