// The values that kb templates may use, for one cause: captures of its evidence, the culprit, and what follows from
// them.
#pragma once

#include "analyze/evidence.h"
#include "analyze/rank_causes.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Without what quoted the line that it was taken from: `Invalid argument",` → `Invalid argument`.
std::string_view WithoutQuotes(std::string_view value);

// "rank 3 on node1 fell silent." → "Rank 3 …", where a value of ours begins a sentence; a host keeps its name.
std::string AsSentence(std::string text);

// What one finding says: its captures, rank and host.
TemplateValues FindingValues(const Finding& finding);

// The hosts whose lines show the failure itself: "worker-02, worker-03", "worker-02, …" of many; empty when no line of
// a known process does.
std::string HostsThatTell(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis);

// Only one can have ended first, and several ranks look alike: it is not known which.
bool OneOfSeveral(const CauseTraits& traits, const std::vector<Culprit>& culprits);

TemplateValues ValuesFor(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis,
                         const std::vector<Culprit>& culprits);

// What of `values` may stand in a command, with the host of whom is blamed.
TemplateValues WordsForCommands(TemplateValues values, const std::vector<Culprit>& culprits);

}  // namespace ncclwhy
