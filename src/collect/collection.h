// Collection: what a host can tell of its jobs: the logs of processes, and the answers of the commands in commands.def,
// each under a limit, with a MANIFEST of what ran, what was not here and what took too long. Of environments only the
// variables that the knowledge knows: no secrets.
//
//   node3/MANIFEST.txt  node3/dmesg.txt  node3/pid-4711/stack.txt  node3/pid-4711/environment.txt  node3/logs/rank0.log
//
// The process must have one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "collect/collection_sink.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// What is asked of whom. Without processes only the host is asked, and the environment is that of this program.
struct CollectionOptions {
  std::vector<pid_t> pids;            // whose state, environment and logs are wanted
  std::vector<std::string> paths;     // logs: files and folders
  bool logs_of_pids = true;           // NCCL's files, flight recorders, files that they print into
  std::string since;                  // 2026-11-23 23:15:00: the kernel's words since then; empty: all
  std::chrono::milliseconds most{0};  // no command gets more than that; 0: as commands.def says
};

// What was found, for the sentence that the command prints.
struct CollectionDone {
  size_t commands = 0;                // that worked
  size_t files = 0;                   // logs
  size_t processes = 0;               // that were there
  std::vector<std::string> problems;  // paths that could not be read, commands that took too long
};

// Takes as long as the slowest of commands.def, since they run side by side. An error is one of the sink; what could
// not be asked is a problem in the result.
Result<CollectionDone> CollectHost(const CollectionOptions& options, const KnowledgeBase& knowledge,
                                   CollectionSink* sink);

}  // namespace ncclwhy
