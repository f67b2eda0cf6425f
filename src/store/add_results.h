// What the analysis found: the views finding and cause.
#pragma once

#include <vector>

#include "ncclwhy/report.h"
#include "rules/engine/rule_set.h"
#include "store/database.h"

namespace ncclwhy {

Status AddFindingRows(Database& database, const RuleSet& rules, const std::vector<Finding>& findings);
Status AddCauseRows(Database& database, const Report& report);

}  // namespace ncclwhy
