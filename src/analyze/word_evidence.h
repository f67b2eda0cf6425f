// What words say (word_reading.h) as evidence: where something failed, and no rule says why or rules are not sure.
#pragma once

#include <string_view>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/evidence.h"
#include "analyze/rank_causes.h"
#include "job/outcome.h"

namespace ncclwhy {

inline constexpr std::string_view kWordEvidencePrefix = "words.";

// Items to add to the case: the sentences that tell most, for the cause that their words speak for. None where rules
// are sure of a cause that says why (not only that a program broke), where NCCL's own lines led rules to a cause, where
// the job did well, or where words say too little. What they tell less than, a bare exception, is marked in `items` as
// what followed; a cause that rules are not sure of stays behind theirs.
std::vector<EvidenceItem> WordEvidence(const CaseFile& c, const OutcomeReading& outcome, const Ranking& ranking,
                                       std::vector<EvidenceItem>& items);

// Where no cause is named: what words say that it may be, best first, beside `known`. Without evidence, as none is sure
// enough.
std::vector<Hypothesis> PossibleByWords(const CaseFile& c, const std::vector<Hypothesis>& known);

}  // namespace ncclwhy
