// RemovedOnSignal: a file that is made, and taken away when a signal ends the program before it is finished. One at a
// time.
#pragma once

#include <string>

namespace ncclwhy {

// A handler reaches global variables alone, so there can be one object at a time in the program; nothing checks that.
class RemovedOnSignal {
 public:
  // Makes a new file, open for writing, whose name is `path` with a point and six letters behind it. Takes over SIGINT,
  // SIGTERM and SIGHUP, but none that the program ignores (nohup): they come again with their old meaning when the file
  // is away.
  explicit RemovedOnSignal(const std::string& path);
  // The file stays; signals are again what they were. Behind a rename, or when its owner has unlinked it.
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

  // -1 where none could be made; then error() is an errno (ENAMETOOLONG where the path leaves no room for the letters).
  // The caller closes it.
  int descriptor() const { return file_; }
  int error() const { return error_; }
  // Of the file that was made. Empty or meaningless where descriptor() is -1.
  std::string path() const;

 private:
  int file_ = -1;
  int error_ = 0;
};

}  // namespace ncclwhy
