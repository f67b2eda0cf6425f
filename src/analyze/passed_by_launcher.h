// Commands in the words of the job that the logs show: how variables reach the ranks where their launcher does not
// pass on its own, and what shows the stacks of a program without Python.
//   export NCCL_SOCKET_IFNAME=eno2        →        mpirun -x NCCL_SOCKET_IFNAME=eno2 …
//   py-spy dump --native --pid 4711       →        gdb -p 4711 -batch -ex 'thread apply all bt'
#pragma once

#include <string>

#include "analyze/job_environment.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// `command` in the words of the launcher that the logs show (members `starter` and `passes` of its entry in the table
// "environment" of kb/codes.json); as it is where it does more than set variables, sets the launcher's own, or nobody
// needs to be told. Settings alone are exported, which they would not be by themselves.
std::string PassedByLauncher(const KnowledgeBase& kb, const JobEnvironment& environment, const std::string& command);

// `command` with the debugger in place of py-spy where the program has no Python in it (member `stack` of its entry in
// that table).
std::string WithStackTool(const KnowledgeBase& kb, const JobEnvironment& environment, std::string command);

}  // namespace ncclwhy
