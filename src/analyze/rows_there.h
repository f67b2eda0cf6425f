// Which rows the query rules would find that ask for them in `needs` (IsViewNeed): a query costs half a millisecond
// although most logs have nothing of what it is about.
#pragma once

#include "analyze/timeline.h"
#include "job/job_model.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// May name rows that a query then does not find, as it looks closer; must not lack one that it would find.
ViewNames RowsThere(const JobModel& model, const JobComparison& comparison);

}  // namespace ncclwhy
