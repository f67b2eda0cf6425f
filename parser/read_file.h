// FileReader: read(2) in large pieces, interrupted calls repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

class FileReader {
 public:
  static constexpr size_t kBufferBytes = 1 << 20;
  // What is read at once: stays in the caches of one core, together with what is remembered between lines.
  static constexpr size_t kReadBytes = 64 << 10;

  // `fd` is borrowed; `name` is for messages.
  FileReader(int fd, std::string name) : fd_(fd), name_(std::move(name)), buffer_(new char[kBufferBytes]) {}

  // The next bytes, valid until the next call; empty at the end.
  Status Next(std::string_view* bytes);
  // The first bytes: a whole buffer of them unless the input ends before, so that a pipe that delivers little by little
  // is told by its content as a file is.
  Status First(std::string_view* bytes);
  uint64_t bytes() const { return bytes_; }

 private:
  // Reads once into the buffer behind `used` bytes; `*got` is 0 at the end.
  Status Fill(size_t used, size_t* got);

  int fd_;
  std::string name_;
  std::unique_ptr<char[]> buffer_;
  uint64_t bytes_ = 0;
};

}  // namespace ncclwhy
