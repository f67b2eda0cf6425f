#include "run/dump_pipes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// Whoever may write into the folder may put anything there under such a name: only a pipe is written to.
// Nobody listens, or the pipe is full: no dump.
bool Ask(const std::string& pipe) {
  const int fd = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat status {};
  const bool asked = ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && ::write(fd, "1\n", 2) == 2;
  ::close(fd);
  return asked;
}

size_t Dumps(const std::string& logs) {
  size_t count = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(logs, none)) {
    if (entry.path().filename().string().starts_with("nccl_trace_rank_")) ++count;
  }
  return count;
}

}  // namespace

// Dumps of before are left out of the count: a folder may be used for a second run. Ranks that died have a pipe nobody
// listens to, and are not waited for.
void AskForDumps(const std::string& logs, std::chrono::milliseconds patience) {
  const size_t before = Dumps(logs);
  size_t asked = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(logs, none)) {
    if (entry.path().extension() == ".pipe" && Ask(entry.path().string())) ++asked;
  }
  const auto end = std::chrono::steady_clock::now() + patience;
  // PyTorch writes a dump whole and renames nothing: a name that is there may still be growing, which its reader has to
  // bear.
  while (Dumps(logs) < before + asked && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace ncclwhy
