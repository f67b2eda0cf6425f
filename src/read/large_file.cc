#include "read/large_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "parser/segments.h"
#include "read/archive_reader.h"
#include "read/read_file.h"
#include "read/witness.h"

namespace ncclwhy {

namespace {

// Of a regular file, else 0.
uint64_t SizeOf(const SourceSpec& spec) {
  struct stat info {};
  if (spec.path == "-" || !spec.earlier.empty() || ::stat(spec.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return 0;
  return static_cast<uint64_t>(info.st_size);
}

}  // namespace

bool LargeFile::MayBe(const SourceSpec& spec, uint64_t least) { return SizeOf(spec) >= std::max<uint64_t>(least, 1); }

std::unique_ptr<LargeFile> LargeFile::Open(const SourceSpec& spec, uint64_t least) {
  // Asked before it is opened: a pipe with a name waits for its writer.
  const uint64_t size = SizeOf(spec);
  if (size < std::max<uint64_t>(least, 1)) return nullptr;
  const int fd = ::open(spec.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  std::unique_ptr<LargeFile> file(new LargeFile(fd, spec.name, size));
  std::unique_ptr<char[]> first(new char[FileReader::kReadBytes]);
  size_t got = 0;
  if (!file->ReadAt(0, FileReader::kReadBytes, first.get(), &got).ok() || LooksPacked({first.get(), got}) ||
      !IsTextLog({first.get(), got})) {
    return nullptr;
  }
  return file;
}

LargeFile::~LargeFile() { ::close(fd_); }

Status LargeFile::ReadAt(uint64_t offset, size_t wanted, char* buffer, size_t* got) const {
  *got = 0;
  for (;;) {
    const ssize_t n = ::pread(fd_, buffer, wanted, static_cast<off_t>(offset));
    if (n >= 0) {
      *got = static_cast<size_t>(n);
      return Status::Ok();
    }
    if (errno != EINTR) return Status::Io(name_ + ": " + std::strerror(errno));
  }
}

LargeFile::Outcome LargeFile::Read(uint64_t number, uint64_t segment_bytes, Reader& reader) const {
  Outcome out;
  const std::unique_ptr<char[]> buffer(new char[FileReader::kReadBytes]);
  const uint64_t border = number * segment_bytes;
  // The newline in front of the first line may be the byte in front of the border.
  uint64_t at = number == 0 ? 0 : border - 1;
  bool inside = number == 0;
  if (inside) reader.Begin(0);
  // The same cutter as TextLog has, so both cut at the same lines.
  SegmentCutter cutter(segment_bytes);
  for (;;) {
    size_t got = 0;
    out.status = ReadAt(at, FileReader::kReadBytes, buffer.get(), &got);
    out.at_end = out.status.ok() && got == 0;
    if (got == 0) return out;
    std::string_view chunk(buffer.get(), got);
    at += got;
    if (!inside) {
      const size_t newline = chunk.find('\n');
      const uint64_t begin = at - got + std::min(newline, got) + 1;
      // That line is another segment's.
      if (begin >= border + segment_bytes) return out;  // in the middle of a line that is longer than a segment
      if (newline == std::string_view::npos) continue;
      chunk.remove_prefix(newline + 1);
      inside = true;
      reader.Begin(begin);
      cutter = SegmentCutter(segment_bytes, begin);
    }
    const SegmentCutter::Cut cut = cutter.Take(chunk);
    reader.Push(chunk.substr(0, cut.size));
    out.bytes += cut.size;
    if (cut.ends) return out;
  }
}

LargeFile::Outcome LargeFile::ReadRest(uint64_t offset, Reader& reader) const {
  Outcome out;
  const std::unique_ptr<char[]> buffer(new char[FileReader::kReadBytes]);
  for (;;) {
    size_t got = 0;
    out.status = ReadAt(offset + out.bytes, FileReader::kReadBytes, buffer.get(), &got);
    out.at_end = out.status.ok() && got == 0;
    if (got == 0) return out;
    reader.Push({buffer.get(), got});
    out.bytes += got;
  }
}

}  // namespace ncclwhy
