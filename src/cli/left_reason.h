// The reason that is left for whoever looks where the operator looks: Kubernetes' termination message
// (`kubectl describe pod`) and torchelastic's error file, which torchrun prints.
#pragma once

#include <string_view>

namespace ncclwhy {

// Writes `reason`, one line, to $NCCLWHY_TERMINATION_LOG (/dev/termination-log where that is there) and, where
// `failed`, as torchelastic's JSON to $TORCHELASTIC_ERROR_FILE: torchrun takes the earliest of these for the root
// cause, and one that it ended itself is none. What the program itself wrote there stays; what cannot be written is
// not: the answer stands in the output, too.
void LeaveReason(std::string_view reason, bool failed);

}  // namespace ncclwhy
