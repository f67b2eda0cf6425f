// From findings to signs of life: what rules say with `sign`, in the form that src/job reads.
#pragma once

#include <string>
#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"
#include "job/life_sign.h"

namespace ncclwhy {

// One for each item whose rule has a sign, in their order. `items[i]` receives its index in EvidenceItem::sign.
std::vector<LifeSign> SignsOfLife(const JobModel& model, std::vector<EvidenceItem>& items);

// What the item's rule says of its line, with whom and what the line names: "srun reports task 0 on node3: Terminated".
// Empty when the line lacks what the note needs.
std::string NoteOfSign(const EvidenceItem& item);

}  // namespace ncclwhy
