// The reason that is left for whoever looks where the operator looks: Kubernetes' termination message
// (`kubectl describe pod`) and torchelastic's error file, which torchrun prints.
#pragma once

#include <string_view>

namespace ncclwhy {

// Writes `reason`, one line, to $NCCLWHY_TERMINATION_LOG (/dev/termination-log where that is there) and, as
// torchelastic's JSON, to $TORCHELASTIC_ERROR_FILE. What the program itself wrote there stays; what cannot be written
// is not: the answer stands in the output, too.
void LeaveReason(std::string_view reason);

}  // namespace ncclwhy
