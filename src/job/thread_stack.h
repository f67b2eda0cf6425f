// ThreadStack: where one thread stands, of a dump of stacks (py-spy, faulthandler, gdb, glog), and whose thread it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

// Texts are of the model's sources, frames innermost first: "read (shard.py:40) < next_batch (train.py:12)".
struct ThreadStack {
  Place place;
  ProcessId process;
  std::string owner;  // the same for all threads of a process, as far as that is known
  int32_t rank = -1;
  std::string_view host;
  int64_t pid = -1;
  std::string_view thread;    // MainThread, Current thread, Thread 1
  std::string_view function;  // the innermost frame of the program, else the innermost
  std::string_view frames;
  std::string_view program;  // the frames of the program alone
};

// In the order of sources and lines. A thread that stands in no Python frame ("<no Python frame>") is left out.
std::vector<ThreadStack> FindStacks(const JobModel& model);

}  // namespace ncclwhy
