#include "run/output_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/word_finder.h"

namespace ncclwhy {
namespace {

// What lines begin with, or hold, that say first what went wrong; with what follows them, as a traceback does.
constexpr std::array<std::string_view, 16> kComplaints = {
    "NCCL WARN", "Traceback",        "Error: ",   "error: ", "ERROR",  "FATAL",
    "Fatal ",    "terminate called", "panic:",    "Aborted", "Killed", "Segmentation fault",
    "Watchdog",  "CUDA error",       "Exception", "assert"};
constexpr WordFinder kFinder(kComplaints);
constexpr uint64_t kFollowing = 4096;

// What could not be written.
// A full disk, a quota or a file system that went away.
std::string_view WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return bytes;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return bytes;
}

int OpenNew(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600); }

}  // namespace

OutputLog::~OutputLog() {
  if (fd_ >= 0) ::close(fd_);
  if (pin_fd_ >= 0) ::close(pin_fd_);
}

void OutputLog::Write(std::string_view bytes) {
  // The first part is the beginning and stays anyhow.
  if (parts_ > 1) Pin(bytes);
  while (!bytes.empty() && !failed_) {
    const uint64_t limit = parts_ <= 1 ? kHead : kTail;
    if (size_ + bytes.size() <= limit) return Append(bytes);
    // Parts end with a line where they can.
    const uint64_t room = limit - std::min(limit, size_);
    const size_t line = bytes.substr(0, room).rfind('\n');
    const size_t take = line != std::string_view::npos ? line + 1 : static_cast<size_t>(room);
    Append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    Rotate();
  }
  // What is printed behind a failure never gets into the log: it would stand behind a hole.
  if (!bytes.empty() && unlogged_ != nullptr) unlogged_->Add(bytes);
}

void OutputLog::Append(std::string_view bytes) {
  if (fd_ < 0) {
    fd_ = OpenNew(path_);
    ++parts_;
  }
  const std::string_view left = fd_ < 0 ? bytes : WriteAll(fd_, bytes);
  failed_ = !left.empty();
  if (failed_ && unlogged_ != nullptr) unlogged_->Add(left);
  size_ += bytes.size();
}

void OutputLog::Rotate() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  // The first rotation makes `.1` of the beginning; at the second it becomes `.2`, which no later one touches.
  if (parts_ == 2) (void)std::rename((path_ + ".1").c_str(), (path_ + ".2").c_str());
  if (parts_ > 2) dropped_ += older_;
  (void)std::rename(path_.c_str(), (path_ + ".1").c_str());
  older_ = size_;
  size_ = 0;
}

// A word at the border of two chunks is missed: it is one of many, and the log has it as long as it is not dropped.
// Whole chunks are looked at first: nearly none has a complaint.
void OutputLog::Pin(std::string_view bytes) {
  if (pinned_ >= kPinned) return;
  if (following_ == 0 && kFinder.Find(bytes) == 0) return;
  PinLines(bytes);
}

void OutputLog::PinLines(std::string_view bytes) {
  std::string kept;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end == std::string_view::npos ? bytes.size() : end + 1);
    bytes.remove_prefix(line.size());
    // 4 KiB behind a complaint hold its traceback.
    if (kFinder.Find(line) != 0) following_ = std::max<uint64_t>(kFollowing, line.size());
    if (following_ == 0) continue;
    kept += line;
    following_ -= std::min<uint64_t>(following_, line.size());
  }
  kept.resize(std::min<size_t>(kept.size(), kPinned - pinned_));
  if (kept.empty()) return;
  if (pin_fd_ < 0) {
    // stdout.log → stdout.first-errors.log
    pin_fd_ = OpenNew(path_.substr(0, path_.rfind('.')) + ".first-errors.log");
  }
  pinned_ += kept.size();
  // One try: a disk that is full takes no second file either.
  if (pin_fd_ < 0 || !WriteAll(pin_fd_, kept).empty()) pinned_ = kPinned;
}

}  // namespace ncclwhy
