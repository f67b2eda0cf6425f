// FileReader: read(2) in large pieces, interrupted calls repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

// For files, pipes and sockets alike. One thread.
class FileReader {
 public:
  // What is read at once: stays in the caches of one core, together with what is remembered between lines.
  static constexpr size_t kReadBytes = 64 << 10;
  // The beginning of something packed: a bzip2 block must be whole before it can be told what is in it.
  static constexpr size_t kPackedBytes = 1 << 20;

  // `fd` is borrowed; `name` is for messages.
  FileReader(int fd, std::string name) : fd_(fd), name_(std::move(name)), buffer_(new char[kReadBytes]) {}

  // The next bytes, valid until the next call; empty at the end.
  // kIo with the name and the system's words.
  Status Next(std::string_view* bytes);
  // The first kReadBytes unless the input ends before, so that a pipe that delivers little by little is told by its
  // content as a file is.
  Status First(std::string_view* bytes) { return FillTo(kReadBytes, bytes); }
  // The same and what follows, up to kPackedBytes. Only behind First.
  Status FirstOfPacked(std::string_view* bytes);
  // Read so far.
  uint64_t bytes() const { return bytes_; }

 private:
  // Reads once into the buffer behind `used` bytes; `*got` is 0 at the end.
  Status Fill(size_t used, size_t* got);
  // Reads behind the bytes read so far until there are `size`.
  Status FillTo(size_t size, std::string_view* bytes);

  int fd_;
  std::string name_;
  std::unique_ptr<char[]> buffer_;
  size_t size_ = kReadBytes;  // of the buffer
  uint64_t bytes_ = 0;
  bool ended_ = false;  // a terminal would wait for a second Ctrl-D
};

}  // namespace ncclwhy
