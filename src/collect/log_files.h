// LogFiles: the logs of a collection: which files they are, and their way into it, with a limit for each: of a file
// that is larger the beginning and the end are kept.
//
// Who owns a folder or a process decides what is in it, and may not be who asks: a link out of a folder is not
// followed, and what a process names in its environment is taken only when it belongs to the process's user.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collect/collection_sink.h"
#include "collect/host_process.h"

namespace ncclwhy {

// Not thread-safe. Files that are added twice are written once.
class LogFiles {
 public:
  static constexpr uint64_t kMostBytes = 512ull << 20;  // of one file
  static constexpr size_t kMostFiles = 20000;

  // A file, or all files below a folder. Links are followed when they are named, or stay inside of the folder.
  void AddPath(const std::string& path);
  // NCCL_DEBUG_FILE, flight recorders, and files that it prints into.
  void AddOf(const HostProcess& process);
  // Puts them below `folder`; a line for each into `notes`.
  Status Write(const std::string& folder, CollectionSink* sink, std::vector<std::string>* notes);

  const std::vector<std::string>& files() const { return files_; }
  // How many were written.
  size_t written() const { return written_; }
  // A sentence on each that is not taken.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  // `within`: a folder that it may not lead out of, unless that is empty. `named_by`: who named it, unless the user
  // did.
  void AddFile(const std::string& path, const std::string& within = {}, const HostProcess* named_by = nullptr);
  void AddLike(const std::string& pattern, const HostProcess& process);

  std::vector<std::string> files_;  // without links
  std::set<std::string> known_;
  std::map<std::string, uid_t> owners_;  // of files that a process named: whose they must still be when they are read
  std::vector<std::string> problems_;
  size_t written_ = 0;
  bool too_many_ = false;
};

}  // namespace ncclwhy
