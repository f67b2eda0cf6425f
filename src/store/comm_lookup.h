// CommLookup: which communicator is meant by a pointer that a process printed.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

// Borrows the model.
//    node07:4711:4802 [3] NCCL INFO AllReduce: opCount 1f … comm 0x55d0c3a41b20 [nranks=8] stream 0x55d0c2
// `comm` is an address in that process: the same text in two processes means nothing, and in one process it comes again
// when a communicator is freed and the next one gets its memory.
class CommLookup {
 public:
  // Linear in the ranks; pointers are views of the facts.
  explicit CommLookup(const JobModel& model);

  // `rank`: of that process in that communicator, -1 where none was found.
  struct Found {
    CommId communicator;
    int32_t rank = -1;
  };
  // `comm`: a pointer as printed. A pointer recurs after a communicator was freed: then the last communicator that
  // began before `line` of the source is meant. Not found: an invalid id.
  Found Find(ProcessId process, std::string_view comm, SourceId source, uint32_t line) const;

 private:
  struct Entry {
    Found found;
    Place start;
  };
  // By process and pointer; entries in the order of source and line.
  std::map<std::pair<uint32_t, std::string_view>, std::vector<Entry>> entries_;
};

}  // namespace ncclwhy
