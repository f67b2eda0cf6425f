// PlainFile: a regular file that is read piece by piece: no pipe or device, and no link that somebody has put in its
// place meanwhile.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

class PlainFile {
 public:
  // `path` without links in it. Never waits, as opening a pipe would.
  explicit PlainFile(const std::string& path);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  bool ok() const { return fd_ >= 0; }
  uint64_t size() const { return static_cast<uint64_t>(stat_.st_size); }
  const struct stat& stat() const { return stat_; }
  void Seek(uint64_t place) { place_ = place; }
  // Empty at the end. Valid until the next call.
  std::string_view Next();

 private:
  int fd_ = -1;
  struct stat stat_ {};
  uint64_t place_ = 0;
  std::string buffer_;
};

}  // namespace ncclwhy
