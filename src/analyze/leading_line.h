// The leading line of a cause: what speaks most for it, and what its rule says in the place of the cause.
//   mpirun was unable to locate a usable "srun" command in its path      a launcher's failure of its own kind
#pragma once

#include <string>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// The finding of a rule that speaks most for the cause; null where that is none of a rule, or where the cause is a mere
// hint of it.
const EvidenceItem* LeadingItem(const CaseFile& c, const Hypothesis& h);

// What the rule saw that speaks most for the cause: its title; empty where it has none. Of a message of the catalogue
// that is a printf format, and empty, too.
std::string LeadingFinding(const CaseFile& c, const Hypothesis& h);

// What the rule that leads tells in the place of the cause: what this line is, where the cause has many faces. Its
// questions come before those of the cause, its fixes with those of other rules (AddRuleFixes).
void TellByRule(const CaseFile& c, const Hypothesis& h, CauseKnowledge* known);

// The line that leads, in quotes, where no rule but its words tell what it comes from; else empty.
std::string ReadByWords(const CaseFile& c, const Hypothesis& h);

}  // namespace ncclwhy
