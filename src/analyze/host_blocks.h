// On which host a rank without a log must run: launchers fill hosts block by block, so it is the neighbours' host, if
// that has room for one more.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

class HostBlocks {
 public:
  // Of the largest communicator, or of the processes where none was begun. Linear in the ranks.
  explicit HostBlocks(const JobModel& model);

  // Empty when the order of the others does not tell.
  std::string HostOf(int32_t rank) const;

 private:
  int32_t size_ = 0;                                       // ranks of a full host
  std::string only_;                                       // when there is only one
  std::map<int32_t, std::vector<std::string>> with_room_;  // by block: rank / size_
};

}  // namespace ncclwhy
