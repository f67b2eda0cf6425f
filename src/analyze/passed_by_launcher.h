// How variables reach the ranks where their launcher does not pass on its own.
//   export NCCL_SOCKET_IFNAME=eno2        →        mpirun -x NCCL_SOCKET_IFNAME=eno2 …
#pragma once

#include <string>

#include "analyze/job_environment.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// `command` in the words of the launcher that the logs show (members `starter` and `passes` of its entry in the table
// "environment" of kb/codes.json); as it is where it does more than set variables, sets the launcher's own, or nobody
// needs to be told.
std::string PassedByLauncher(const KnowledgeBase& kb, const JobEnvironment& environment, const std::string& command);

}  // namespace ncclwhy
