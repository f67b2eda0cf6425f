// EvidenceItem: one finding, or one catalogue line that no rule speaks about, with what became of it.
#pragma once

#include <string>
#include <vector>

#include "job/job_model.h"
#include "job/outcome.h"
#include "read/digest.h"
#include "rules/engine/finding.h"

namespace ncclwhy {

struct EvidenceItem {
  Finding finding;
  const Rule* rule = nullptr;  // null for a catalogue line
  std::string name;            // id of the rule, or of the message's (message_rules.h)
  std::string note;            // in the report's language, template not yet expanded
  bool consequence = false;    // explained by something else: counts for nothing
  bool info = false;           // a catalogue line that NCCL prints at INFO: never a failure by itself
  bool survived = false;       // the process went on well after it: counts for nothing and is not shown
  int32_t sign = -1;           // index of its sign of life, -1: it is none
};

// Findings in order, then the catalogue lines on which no finding stands.
std::vector<EvidenceItem> CollectEvidence(const JobModel& model, const std::vector<SourceDigest>& digests,
                                          const RuleSet& rules, const KnowledgeBase& kb, Language language,
                                          std::vector<Finding> findings);

// Marks items that others explain: `explains` of a rule, and everything of a benign line.
void MarkConsequences(const KnowledgeBase& kb, std::vector<EvidenceItem>& items);

// Marks what only tells that a process ended, behind the stop of the whole job in the same file: it was torn down.
void MarkTornDown(const KnowledgeBase& kb, const OutcomeReading& outcome, const std::vector<LifeSign>& signs,
                  std::vector<EvidenceItem>& items);

// Marks what slows a job only where its end is not known ("when": "open-end" of a rule), where it ended well.
void MarkBesideGoodEnd(const OutcomeReading& outcome, std::vector<EvidenceItem>& items);

// Marks what was survived: everything when the job succeeded, an alarm behind which its process or the job works on, an
// ending that something overcame, a generic complaint (a catalogue line, or a rule of role symptom) after which the
// same process completed an initialisation or an orderly destruction, or the program went on for long without saying
// that it failed.
void MarkSurvived(const JobModel& model, const OutcomeReading& outcome, std::vector<EvidenceItem>& items);

}  // namespace ncclwhy
