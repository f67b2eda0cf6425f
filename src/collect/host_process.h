// HostProcess: what /proc tells of a process of this host.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace ncclwhy {

// A snapshot: the process may end or change at any moment, and another one may get its pid.
struct HostProcess {
  pid_t pid = -1;
  uid_t user = 0;                                                // whose it is
  std::time_t started = 0;                                       // 0: not known
  std::string command;                                           // its words, blanks between them
  std::vector<std::pair<std::string, std::string>> environment;  // as it was started; empty when we may not see it
  std::vector<std::string> outputs;                              // regular files that it prints into
  std::string state;                                             // status, wait channels of its threads

  // Empty when it is not set.
  std::string Variable(const std::string& name) const;
};

// pid -1: there is none.
// What may not be seen is empty.
HostProcess ReadProcess(pid_t pid);
// Processes that have NCCL loaded, as far as we may see it.
std::vector<pid_t> ProcessesWithNccl();
// The process and all below it.
std::vector<pid_t> WithDescendants(pid_t pid);
// Those that were started with this in their environment, and still have it, as far as we may see it.
std::vector<pid_t> ProcessesWith(const std::string& variable, const std::string& value);

}  // namespace ncclwhy
