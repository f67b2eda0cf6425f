#include "read/read_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ncclwhy {

Status FileReader::Fill(size_t used, size_t* got) {
  *got = 0;
  if (ended_) return Status::Ok();
  const size_t wanted = std::min(kReadBytes, size_ - used);
  for (;;) {
    const ssize_t n = ::read(fd_, buffer_.get() + used, wanted);
    if (n >= 0) {
      bytes_ += static_cast<uint64_t>(n);
      *got = static_cast<size_t>(n);
      ended_ = n == 0;
      return Status::Ok();
    }
    if (errno != EINTR) return Status::Io(name_ + ": " + std::strerror(errno));
  }
}

Status FileReader::Next(std::string_view* bytes) {
  size_t got = 0;
  Status status = Fill(0, &got);
  *bytes = {buffer_.get(), got};
  return status;
}

Status FileReader::FillTo(size_t size, std::string_view* bytes) {
  Status status;
  auto used = static_cast<size_t>(bytes_);
  // A pipe gives what is there, `kubectl logs` a line at a time.
  for (size_t got = 1; status.ok() && got > 0 && used < size; used += got) status = Fill(used, &got);
  *bytes = {buffer_.get(), used};
  return status;
}

Status FileReader::FirstOfPacked(std::string_view* bytes) {
  std::unique_ptr<char[]> larger(new char[kPackedBytes]);
  std::memcpy(larger.get(), buffer_.get(), static_cast<size_t>(bytes_));
  buffer_ = std::move(larger);
  size_ = kPackedBytes;
  return FillTo(kPackedBytes, bytes);
}

}  // namespace ncclwhy
