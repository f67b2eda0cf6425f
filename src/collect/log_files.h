// LogFiles: the logs of a collection: which files they are, and their way into it, with a limit for each: of a file
// that is larger the beginning and the end are kept.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "collect/collection_sink.h"
#include "collect/host_process.h"

namespace ncclwhy {

class LogFiles {
 public:
  static constexpr uint64_t kMostBytes = 512ull << 20;  // of one file
  static constexpr size_t kMostFiles = 20000;

  // A file, or all files below a folder.
  void AddPath(const std::string& path);
  // NCCL_DEBUG_FILE, flight recorders, and files that it prints into.
  void AddOf(const HostProcess& process);
  // Puts them below `folder`; a line for each into `manifest`.
  Status Write(const std::string& folder, CollectionSink* sink, std::string* manifest);

  size_t size() const { return files_.size(); }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void AddFile(const std::string& path);
  void AddLike(const std::string& pattern);

  std::vector<std::string> files_;
  std::set<std::string> known_;
  std::vector<std::string> problems_;
};

}  // namespace ncclwhy
