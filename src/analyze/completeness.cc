#include "analyze/completeness.h"

#include <algorithm>
#include <string>

#include "base/counters.h"

namespace ncclwhy {

bool LostEvidence(const Coverage& coverage) {
  // Losses of evidence, not of detail: events beyond a limit leave the first ones, which tell a failure.
  constexpr Counter kLosses[] = {Counter::kDroppedProcesses, Counter::kDroppedCommunicators, Counter::kPatternErrors,
                                 Counter::kRefusedRecords};
  return std::any_of(std::begin(kLosses), std::end(kLosses), [&](Counter counter) {
    const auto note = coverage.notes.find(std::string(InfoOf(counter).name));
    return note != coverage.notes.end() && note->second > 0;
  });
}

void BarHealthy(Report* report) {
  if (report->verdict == Verdict::kHealthy) report->verdict = Verdict::kUndetermined;
}

}  // namespace ncclwhy
