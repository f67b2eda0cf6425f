// LargeFile: a plain file that is long enough to be read in segments (segments.h), by several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"
#include "read/source.h"

namespace ncclwhy {

// Immutable but for the file itself, which may grow or shrink while it is read: each read says what it got.
class LargeFile {
 public:
  // Whether `spec` is a regular file of at least so many bytes.
  // Asks for its size alone, so that nothing is opened for small files.
  static bool MayBe(const SourceSpec& spec, uint64_t least);
  // Null when `spec` is no regular file, is packed or no text log, has less than `least` bytes or cannot be opened:
  // ReadSource reads it, or says why not.
  static std::unique_ptr<LargeFile> Open(const SourceSpec& spec, uint64_t least);
  ~LargeFile();
  LargeFile(const LargeFile&) = delete;
  LargeFile& operator=(const LargeFile&) = delete;

  class Reader {
   public:
    virtual ~Reader() = default;
    // The segment begins here. Not called when no line begins in it.
    virtual void Begin(uint64_t offset) = 0;
    // In order, without gaps; borrowed until it returns.
    virtual void Push(std::string_view chunk) = 0;
  };
  struct Outcome {
    Status status;
    uint64_t bytes = 0;   // pushed
    bool at_end = false;  // the file ended within the segment, or in front of it
  };
  // Reads segment `number` of `segment_bytes` into `reader`; what came before an error has been pushed. Any number of
  // threads may call this at once.
  // A line belongs to the segment in which it begins, whole: the last one is read beyond the border.
  Outcome Read(uint64_t number, uint64_t segment_bytes, Reader& reader) const;
  // Reads what stands at `offset` and behind it.
  Outcome ReadRest(uint64_t offset, Reader& reader) const;

  const std::string& name() const { return name_; }
  // When it was opened.
  uint64_t size() const { return size_; }

 private:
  LargeFile(int fd, std::string name, uint64_t size) : fd_(fd), name_(std::move(name)), size_(size) {}
  // As pread, interrupted calls repeated; `*got` is 0 at the end.
  Status ReadAt(uint64_t offset, size_t wanted, char* buffer, size_t* got) const;

  int fd_;
  std::string name_;
  uint64_t size_;
};

}  // namespace ncclwhy
