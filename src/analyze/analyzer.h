// Analysis of whole jobs: digests of all sources → Report.
#pragma once

#include <string>
#include <vector>

#include "analyze/seen_before.h"
#include "analyze/timeline.h"
#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"
#include "read/digest.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

struct AnalyzeOptions {
  Language language = Language::kEnglish;
  int top = 3;  // causes in the report
  // Borrowed; null: nothing is looked for.
  const IncidentSearch* incidents = nullptr;
  size_t seen = kSeenBefore;  // of incidents in the report
};

// The job that digests describe, which it borrows.
JobModel ModelOf(const std::vector<SourceDigest>& digests);

// All but `problems` is borrowed. `digests` are in the order of OrderByName (read/digest.h), `model` is theirs.
// `problems`: sentences about inputs that could not be read, copied into the report.
Report Analyze(const JobModel& model, const std::vector<SourceDigest>& digests, const RuleSet& rules,
               const KnowledgeBase& kb, Timeline& timeline, const AnalyzeOptions& options,
               std::vector<std::string> problems);

// The findings alone, for rule authors (`ncclwhy rules test`) and the rule matrix.
std::vector<Finding> FindAll(const std::vector<SourceDigest>& digests, const RuleSet& rules, const KnowledgeBase& kb,
                             Timeline& timeline, std::vector<std::string>* problems);

// Whom the findings of one rule blame, best first: of what FindAll found on these digests.
std::vector<Culprit> CulpritsOfRule(const std::vector<SourceDigest>& digests, const RuleSet& rules,
                                    const KnowledgeBase& kb, const std::vector<Finding>& findings,
                                    std::string_view rule);

}  // namespace ncclwhy
