// Upload: the parts of a form, kept in nameless files until all have come, so that a slow client holds no worker.
//
// One thread at a time. The files are gone with this object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy {

struct UploadedLog {
  int descriptor;
  std::string name;  // a label, never a path that is opened
};

class Upload {
 public:
  // Parts that a form may have; a browser sends one a file.
  static constexpr size_t kParts = 256;

  explicit Upload(uint64_t max_bytes) : left_(max_bytes) {}
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // Begins a part; what is written goes to it. Only the last component of `name` is kept.
  Status Begin(std::string_view name);
  // kLimit when all parts together are too large.
  Status Write(std::string_view bytes);
  // Those that hold something, each to be read from its beginning.
  std::vector<UploadedLog> Logs();

 private:
  struct Part {
    int descriptor;
    std::string name;
    uint64_t bytes;
  };
  std::vector<Part> parts_;
  uint64_t left_;
};

}  // namespace ncclwhy
