// Resolve: hits of all sources → findings. Checks versions and conditions over the whole job, runs query rules, folds
// repetitions of one rule in one process.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "rules/engine/finding.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// Field of a finding whose rule is a sign of waiting: the ranks that its lines name, each between spaces (" 0  2 ").
inline constexpr std::string_view kWaitingRanks = "waiting_ranks";

// See RuleSet::Resolve. The order of the result is (source, line, rule); findings without a line come last. All query
// rules together have limits::kQueryRulesMilliseconds; those that have no turn any more are one sentence in `problems`,
// which may be null.
// One thread. `publish` is called twice: with what pattern rules found, then with what queries did. Nothing is thrown
// for a query that fails.
std::vector<Finding> ResolveFindings(const RuleList& rules, const PatternTable& patterns, const KnowledgeBase& kb,
                                     const JobModel& model, std::span<const SourceHits* const> hits,
                                     const QueryRunner& query, const FindingSink& publish,
                                     std::vector<std::string>* problems, const ViewNames& views);

}  // namespace ncclwhy
