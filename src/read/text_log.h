// A log of lines of text: what NCCL and everything around it print. The witness of every source that no other knows.
#pragma once

#include <memory>

#include "read/witness.h"

namespace ncclwhy {

std::unique_ptr<Witness> NewTextLog(const WitnessContext& context);

}  // namespace ncclwhy
