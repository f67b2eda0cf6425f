// A library for LD_PRELOAD that makes the system fail as NCCLWHY_FAULT says, a list of
//
//   read-short       read(2) returns 1 to 7 bytes
//   read-eintr       every other read(2) is interrupted
//   read-eio=N       read(2) fails behind N bytes of a descriptor
//   read-eof=N       read(2) ends behind N bytes, as if the file had become shorter
//   write-short      write(2) takes 1 to 7 bytes
//   write-eintr      every other write(2) is interrupted
//   write-enospc=N   write(2) and pwrite64(2) fail behind N bytes of all descriptors
//   write-slow       write(2) takes 7 bytes and a millisecond
//   create-erofs     no file can be created or opened for writing
//   rename-eio       rename(2) fails
//   nth-read=N       the N-th read(2) fails with EIO, from 0 on
//   nth-change=N     the N-th call that changes a file or a directory fails with ENOSPC
//   nth-denied=N     … with EROFS
//   nth-signal=N     … works, but SIGINT arrives in front of it
//   nth-kill=N       … never happens: SIGKILL
//
// NCCLWHY_FAULT_MARK names a file that is made when an nth- fault happened: without it, N was beyond the last call.
// Standard error always works, and so do descriptors of the loader: only what the program opens by itself counts.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

// Whether the fault is asked for; its number, if it has one.
bool Asked(const char* fault, size_t* number = nullptr) {
  const char* list = std::getenv("NCCLWHY_FAULT");
  const char* at = list == nullptr ? nullptr : std::strstr(list, fault);
  if (at == nullptr) return false;
  at += std::strlen(fault);
  if (number != nullptr) *number = *at == '=' ? std::strtoul(at + 1, nullptr, 10) : 0;
  return true;
}

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::atomic<size_t> reads{0};
std::atomic<size_t> writes{0};
std::atomic<size_t> written{0};
std::array<std::atomic<size_t>, 1024> read_of;

size_t Piece(size_t count, size_t turn) { return count < 8 ? (count == 0 ? 0 : 1) : 1 + turn % 7; }

bool Creates(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0; }

// How many of `count` bytes fit on the disk; false: none.
bool Fits(size_t* count) {
  size_t room = 0;
  if (!Asked("write-enospc", &room)) return true;
  const size_t before = written.fetch_add(*count);
  if (before >= room) return false;
  if (before + *count > room) *count = room - before;
  return true;
}

std::atomic<size_t> changes{0};
std::atomic<size_t> nth_reads{0};

// Not open(2), which is ours.
void Mark() {
  const char* path = std::getenv("NCCLWHY_FAULT_MARK");
  if (path == nullptr) return;
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600);
  if (fd >= 0) syscall(SYS_close, fd);
}

// True when this change is the one that fails; errno is set.
bool ChangeFails() {
  size_t n = 0;
  const bool full = Asked("nth-change", &n);
  const bool denied = !full && Asked("nth-denied", &n);
  const bool interrupted = !full && !denied && Asked("nth-signal", &n);
  const bool killed = !full && !denied && !interrupted && Asked("nth-kill", &n);
  if ((!full && !denied && !interrupted && !killed) || changes.fetch_add(1) != n) return false;
  Mark();
  if (killed) raise(SIGKILL);
  if (interrupted) raise(SIGINT);
  errno = denied ? EROFS : ENOSPC;
  return !interrupted;
}

}  // namespace

extern "C" {

ssize_t read(int fd, void* buffer, size_t count) {
  static const auto real = Real<ssize_t (*)(int, void*, size_t)>("read");
  const size_t turn = reads.fetch_add(1);
  if (size_t n = 0; Asked("nth-read", &n) && nth_reads.fetch_add(1) == n) {
    Mark();
    errno = EIO;
    return -1;
  }
  if (Asked("read-eintr") && turn % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  std::atomic<size_t>& done = read_of[static_cast<size_t>(fd) % read_of.size()];
  size_t limit = 0;
  if (Asked("read-eio", &limit) || Asked("read-eof", &limit)) {
    if (done.load() >= limit) {
      if (!Asked("read-eio")) return 0;
      errno = EIO;
      return -1;
    }
    if (count > limit - done.load()) count = limit - done.load();
  }
  if (Asked("read-short")) count = Piece(count, turn);
  const ssize_t n = real(fd, buffer, count);
  if (n > 0) done.fetch_add(static_cast<size_t>(n));
  return n;
}

int open(const char* path, int flags, ...) {
  static const auto real = Real<int (*)(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (Asked("create-erofs") && Creates(flags)) {
    errno = EROFS;
    return -1;
  }
  if (Creates(flags) && ChangeFails()) return -1;
  const int fd = real(path, flags, mode);
  if (fd >= 0) read_of[static_cast<size_t>(fd) % read_of.size()] = 0;
  return fd;
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}

int mkostemp(char* name, int flags) {
  static const auto real = Real<int (*)(char*, int)>("mkostemp");
  if (Asked("create-erofs")) {
    errno = EROFS;
    return -1;
  }
  if (ChangeFails()) return -1;
  return real(name, flags);
}

ssize_t write(int fd, const void* buffer, size_t count) {
  static const auto real = Real<ssize_t (*)(int, const void*, size_t)>("write");
  if (fd == STDERR_FILENO) return real(fd, buffer, count);
  if (ChangeFails()) return -1;
  const size_t turn = writes.fetch_add(1);
  if (Asked("write-eintr") && turn % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  if (Asked("write-short")) count = Piece(count, turn);
  if (Asked("write-slow")) {
    count = count < 7 ? count : 7;
    usleep(1000);
  }
  if (!Fits(&count)) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd, buffer, count);
}

ssize_t pwrite64(int fd, const void* buffer, size_t count, off64_t offset) {
  static const auto real = Real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  if (ChangeFails()) return -1;
  if (!Fits(&count)) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd, buffer, count, offset);
}

int rename(const char* from, const char* to) {
  static const auto real = Real<int (*)(const char*, const char*)>("rename");
  if (Asked("rename-eio")) {
    errno = EIO;
    return -1;
  }
  if (ChangeFails()) return -1;
  return real(from, to);
}

int unlink(const char* path) {
  static const auto real = Real<int (*)(const char*)>("unlink");
  return ChangeFails() ? -1 : real(path);
}

int ftruncate64(int fd, off64_t length) {
  static const auto real = Real<int (*)(int, off64_t)>("ftruncate64");
  return ChangeFails() ? -1 : real(fd, length);
}

int fsync(int fd) {
  static const auto real = Real<int (*)(int)>("fsync");
  return ChangeFails() ? -1 : real(fd);
}

int fdatasync(int fd) {
  static const auto real = Real<int (*)(int)>("fdatasync");
  return ChangeFails() ? -1 : real(fd);
}

int fchmod(int fd, mode_t mode) {
  static const auto real = Real<int (*)(int, mode_t)>("fchmod");
  return ChangeFails() ? -1 : real(fd, mode);
}

}  // extern "C"
