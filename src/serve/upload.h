// Upload: the parts of a form, or a body, kept in nameless files until all has come, so that a slow client holds no
// worker.
//
// One thread at a time. The files are gone with this object.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy {

// When a request has to be answered, from its head on.
using Deadline = std::chrono::steady_clock::time_point;

// The descriptor stays the upload's: read it, do not close it.
struct UploadedLog {
  int descriptor;
  std::string name;  // a label, never a path that is opened
};

// Bytes that all uploads of a server may have on disk together. Thread-safe.
// What is left; may fall below 0 for a moment, when several ask at once.
using UploadRoom = std::atomic<int64_t>;

// A file that is open and has no name: it takes room in the folder for temporary files, and nobody can find it there.
// It is gone when the descriptor is closed, also when the program is killed.
class Upload {
 public:
  // Parts that a form may have; a browser sends one a file.
  static constexpr size_t kParts = 256;

  // `room` must outlive it.
  // `max_bytes`: of all parts together.
  Upload(uint64_t max_bytes, UploadRoom* room) : left_(max_bytes), room_(room) {}
  // Gives the room back.
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // Begins a part; what is written goes to it. Only the last component of `name` is kept.
  // kLimit: more than kParts. kIo: no file can be made.
  Status Begin(std::string_view name);
  // With a label that is one already.
  Status BeginAs(std::string label);
  // kLimit when all parts together are too large; kIo when there is no room for them now.
  Status Write(std::string_view bytes);
  // Those that hold something, each to be read from its beginning.
  // In the order of the form. An empty field of a form is a part without bytes, and is left out.
  std::vector<UploadedLog> Logs();

 private:
  struct Part {
    int descriptor;
    std::string name;
    uint64_t bytes;
  };
  std::vector<Part> parts_;
  // Bytes that may still come.
  uint64_t left_;
  UploadRoom* room_;
  // Bytes to give back to the room, those of a write that was refused among them.
  int64_t taken_ = 0;
};

}  // namespace ncclwhy
