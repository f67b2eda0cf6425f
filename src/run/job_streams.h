// JobStreams: the descriptors that a command gets as standard input, output and error, and our ends of them.
//
//   standard input and output are a terminal   a pseudo-terminal of its own, which is the command's controlling one
//   only standard output or error is one       a pseudo-terminal that passes bytes as they are
//   else                                       pipes; one for both when output and error are the same file
//
// Standard input that is no terminal is handed on as it is.
#pragma once

#include <sys/ioctl.h>

#include <array>
#include <string>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy {

struct JobStreams {
  struct Relayed {
    int from = -1;  // our end, non-blocking
    int to = -1;    // STDOUT_FILENO or STDERR_FILENO
    std::string name;
  };

  // Made by the wrapper, copied by fork into the keeper: each closes the ends that are the other's.
  bool terminal = false;                  // it has a controlling terminal of its own
  bool reads_terminal = false;            // its standard input is our terminal itself: it stays in our process group
  int master = -1;                        // of its pseudo-terminal, if there is one
  std::array<int, 3> job = {-1, -1, -1};  // its descriptors 0, 1, 2; -1: as inherited
  std::vector<Relayed> relayed;

  // Our ends: the keeper closes its copies, the wrapper when all is over.
  void CloseOurs();
  // When the command has them: else the end of a stream would never be seen.
  void CloseJobs();
};

// By what our own three are. On an error what was opened is not closed.
Result<JobStreams> OpenJobStreams();

}  // namespace ncclwhy
