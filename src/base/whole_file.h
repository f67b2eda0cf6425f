// WholeFile: a file that readers see as it was before or whole, never half written.
//
// The bytes go to a file without a name, which the system takes away however the program ends, also by SIGKILL; where
// the file system has none (NFS), to a neighbour (`report.html.x8Gh2k`) that is taken away when a signal ends the
// program. It gets the name when it is finished. A symbolic link is followed. What is no regular file (/dev/null, a
// pipe) is written to as it is. One at a time, and for programs: it may take signals over while it lives. Numbers that
// are returned are 0 or errno.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/removed_on_signal.h"

namespace ncclwhy {

//    WholeFile file("report.html");
//    if (int error = file.Open(); error == 0) error = file.Write(html), error = error ? error : file.Finish();
class WholeFile {
 public:
  // Only looks up where a symbolic link leads; nothing is made yet.
  explicit WholeFile(const std::string& path);
  // Takes the unfinished part away, where Finish was not called or failed.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // EISDIR for a folder. The old file, if there is one, is untouched until Finish.
  int Open();
  // To write to, behind Open.
  int descriptor() const { return file_; }
  // May be called any number of times; a short write goes on where it stopped.
  int Write(std::string_view bytes);
  // `mode`: of the file; without one that of the file it replaces, or what the umask leaves. Renames, so whoever has
  // the old file open keeps it; nothing is synced to the disk. Once, last; on an error the old file stays.
  int Finish(std::optional<mode_t> mode = std::nullopt);
  // Written as it is: nothing can be taken back.
  bool is_device() const { return file_ >= 0 && part_.empty() && !nameless_; }

 private:
  // A name beside the target for the nameless file; 0 or errno.
  int NamePart();

  // Where the link leads; and the unfinished file, empty where there is none (a device, or Finish has renamed it).
  std::string target_, part_;
  int file_ = -1;
  bool nameless_ = false;
  std::optional<RemovedOnSignal> removed_;
};

// All of `bytes`, whatever interrupts: 0, or the errno that stopped it in the middle. For pipes and sockets as well,
// which take less than they are given.
int WriteAll(int descriptor, std::string_view bytes);

}  // namespace ncclwhy
