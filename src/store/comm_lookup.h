// CommLookup: which communicator is meant by a pointer that a process printed.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

// Borrows the model.
class CommLookup {
 public:
  // Linear in the ranks; pointers are views of the facts.
  explicit CommLookup(const JobModel& model);

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
  std::map<std::pair<uint32_t, std::string_view>, std::vector<Entry>> entries_;
};

}  // namespace ncclwhy
