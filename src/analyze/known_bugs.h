// Known bugs (kb/known_bugs.json) whose tell-tale stands in the logs and whose version range holds: only then is
// "upgrade" said.
#pragma once

#include <string>
#include <vector>

#include "analyze/evidence.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

struct BugMatch {
  BugKnowledge bug;
  SourceId source;
  uint32_t line = 0;
  std::string text;
  ProcessId process;
};

std::vector<BugMatch> MatchKnownBugs(const JobModel& model, const KnowledgeBase& kb, Language language);

// A bug is evidence for its cause.
void AddBugEvidence(const JobModel& model, const std::vector<BugMatch>& bugs, std::vector<EvidenceItem>& items);

// The upgrade that repairs it becomes the first fix of the cause it belongs to.
void AddUpgrades(const std::vector<BugMatch>& bugs, Language language, std::vector<Cause>& causes);

}  // namespace ncclwhy
