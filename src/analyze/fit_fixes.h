// Which fixes and questions of a cause fit this job, and in which order. Data says what they need (kb/README.md);
// nothing here knows a cause.
#pragma once

#include <vector>

#include "analyze/job_environment.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// Fixes that are offered; the others stand in `fixes_elsewhere`.
inline constexpr size_t kFixes = 3;

// Expands `known` with `values` (texts) and `words` (commands) into `cause->fixes` and `cause->fixes_elsewhere`. A fix
// does not fit when the logs contradict its environment, show nothing of what it needs, already have the value that it
// would set, never set what it would unset, or when it names an interface or device that they do not show.
void FitFixes(const JobEnvironment& environment, const KnowledgeBase& kb, const std::vector<FixKnowledge>& known,
              const TemplateValues& values, const TemplateValues& words, Cause* cause);

// What of `known` can be asked of this job, what its kind has first.
std::vector<Confirm> FitConfirms(const JobEnvironment& environment, const KnowledgeBase& kb,
                                 const std::vector<ConfirmKnowledge>& known, const TemplateValues& values,
                                 const TemplateValues& words);

// The first of `known` that fits, expanded; empty when none does.
std::string FitText(const JobEnvironment& environment, const KnowledgeBase& kb, const std::vector<FittingText>& known,
                    const TemplateValues& values);

// Moves what is behind the first kFixes to the front of fixes_elsewhere.
void KeepFirstFixes(Cause* cause);

}  // namespace ncclwhy
