// Last resorts: rules that guess by the shape of a complaint, good only where nothing else is known.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_list.h"

namespace ncclwhy {

// What a line of this shape comes from is a guess, good only where nothing else is known: a log without a word of NCCL,
// no rule that knows what failed, and a line of which no rule says anything ("retrying", a restart, harmless). A line
// that is known as an ending and no more may still say why.
// Erases from `findings`, in whose order nothing else changes.
// `findings`: those of pattern rules, before queries are asked, so that no query takes a guess for a fact.
void DropLastResorts(const RuleList& rules, const KnowledgeBase& kb, const JobModel& model,
                     std::vector<Finding>* findings);

}  // namespace ncclwhy
