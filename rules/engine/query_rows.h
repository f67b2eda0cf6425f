// QueryRows: what the columns of a query rule mean.
//
// `rank` (in the largest communicator), `host`, `pid`, `source`, `line` and `text` say where; `causes` is a JSON object
// of log-odds that replaces the rule's; every other column, `why`, `culprit_rank` and `culprit_host` among them,
// becomes a field of the finding.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/job_model.h"
#include "rules/engine/hit_index.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// Owns all texts. What a row does not tell is invalid, -1 or empty; `where.host` is set by who folds it, once the row
// stands still.
struct QueryHit {
  Where where;
  std::string host;  // owns what `where.host` may point at
  std::string text;
  std::vector<std::pair<std::string, std::string>> fields;
  bool has_causes = false;
  std::vector<Weight> causes;
};

// A column that cannot be understood adds a sentence to `problem` (the first one only). A row names a process only by
// its rank or pid: a host with one process is not that process.
//    rank 3, host node07, text "…", causes {"gpu.xid-79": 4}, culprit_rank 5
QueryHit ReadQueryRow(const QueryRow& row, const JobModel& model, std::string* problem);

}  // namespace ncclwhy
