// From findings to signs of life: what rules say with `sign`, in the form that src/job reads.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/life_sign.h"

namespace ncclwhy {

// One for each item whose rule has a sign, in their order. `items[i]` receives its index in EvidenceItem::sign.
std::vector<LifeSign> SignsOfLife(std::vector<EvidenceItem>& items);

}  // namespace ncclwhy
