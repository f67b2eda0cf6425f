// WholeFile: a file that readers see as it was before or whole, never half written.
//
// The bytes go to a nameless neighbour's place (`report.html.x8Gh2k`), which takes the name when it is finished and is
// taken away when it is not, also when a signal ends the program. A symbolic link is followed. What is no regular file
// (/dev/null, a pipe) is written to as it is. One at a time, and for programs: it takes signals over while it lives.
// Numbers that are returned are 0 or errno.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/removed_on_signal.h"

namespace ncclwhy {

class WholeFile {
 public:
  explicit WholeFile(const std::string& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  int Open();
  // To write to, behind Open.
  int descriptor() const { return file_; }
  int Write(std::string_view bytes);
  // `mode`: of the file; without one that of the file it replaces, or what the umask leaves.
  int Finish(std::optional<mode_t> mode = std::nullopt);
  // Written as it is: nothing can be taken back.
  bool is_device() const { return file_ >= 0 && part_.empty(); }

 private:
  std::string target_, part_;
  int file_ = -1;
  std::optional<RemovedOnSignal> removed_;
};

// All of `bytes`, whatever interrupts.
int WriteAll(int descriptor, std::string_view bytes);

}  // namespace ncclwhy
