// Child: runs a program and says how it ended and what it cost (wait4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy::bench {

struct Outcome {
  int exit_status = -1;  // 128 + signal when it was killed by one
  std::string out, err;
  double wall_seconds = 0, cpu_seconds = 0;
  uint64_t peak_bytes = 0;
};

// argv[0] is the path. Waits for the end; standard input is empty.
Result<Outcome> RunChild(const std::vector<std::string>& argv);

// A directory below the system's temporary one, removed with all that is in it at the end.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ncclwhy::bench
