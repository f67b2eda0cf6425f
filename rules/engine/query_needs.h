// QueryNeeds: whether the job has what a query rule is about, so that most queries are never asked: a log without a
// connection line has no answer for the rules on transports.
//
// A need is one of: a kind of event (`result_trace`), a kind with a text (`result_trace:init.cc:`, `event:Xid`), a
// connection (`connection`, `connection:SHM`), a rule that hit (`net-*`), a row of a view (`job:rank-unseen`); see
// rules/README.md.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_list.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// Answers many rules: kinds, transports and rules are counted once.
// Immutable; counts all events of the job once, so its construction is linear in them.
class QueryNeeds {
 public:
  // All of them outlive this. `findings`: those of the pattern rules; `views`: what RowsThere says of the job.
  QueryNeeds(const RuleList& rules, const JobModel& model, const std::vector<Finding>& findings,
             const ViewNames& views);

  // True for a rule without needs.
  // At least `rule.min_needs` things of the kinds that the rule needs are there, and each of those that it needs
  // beside.
  bool AreMetFor(const Rule& rule) const;

 private:
  // How many there are; no more than `enough` are counted.
  // A need that nobody knows (a rule that is not there) counts 0.
  uint64_t Count(std::string_view need, uint64_t enough) const;
  uint64_t CountTexts(std::string_view need, uint64_t enough) const;
  bool AnyConnection(std::string_view behind) const;

  const JobModel& model_;
  const ViewNames& views_;
  std::map<EventKind, uint64_t> kinds_;
  std::set<std::string_view> transports_;
  std::map<std::string_view, uint64_t> rules_;
};

}  // namespace ncclwhy
