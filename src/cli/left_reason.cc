#include "cli/left_reason.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "base/utf8.h"

namespace ncclwhy {
namespace {

// The message is a line in `kubectl describe pod` and in torchrun's table, so it is kept short.
// Kubernetes keeps 4096 bytes; torchrun prints the message in its table.
constexpr size_t kLongestReason = 1000;

// At most that many bytes, of whole characters.
std::string Shortened(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    char32_t point = 0;
    const size_t size = DecodeUtf8(text, &point);
    if (size == 0 || out.size() + size > kLongestReason) break;
    out.append(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

// Only into a file that is empty, and never through a link: the path may be one that others can write to.
void WriteIfEmpty(const char* path, int flags, const std::string& text) {
  // Not opened by waiting, as a pipe would be.
  const int file = ::open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
  if (file < 0) return;
  struct stat now = {};
  if (::fstat(file, &now) == 0 && S_ISREG(now.st_mode) && now.st_size == 0) {
    (void)!::write(file, text.data(), text.size());
  }
  ::close(file);
}

}  // namespace

void LeaveReason(std::string_view reason, bool failed) {
  const std::string line = Shortened(reason);
  if (line.empty()) return;
  const char* message = std::getenv("NCCLWHY_TERMINATION_LOG");
  // Only if it is there: Kubernetes makes it, and nobody else should.
  WriteIfEmpty(message != nullptr ? message : "/dev/termination-log", 0, line + "\n");
  if (!failed) return;
  if (const char* file = std::getenv("TORCHELASTIC_ERROR_FILE"); file != nullptr && *file != '\0') {
    // As torchelastic's own handler writes it; the time in seconds decides which worker is the root cause.
    const nlohmann::ordered_json error = {
        {"message",
         {{"message", line},
          {"extraInfo", {{"py_callstack", ""}, {"timestamp", std::to_string(std::time(nullptr))}}}}}};
    WriteIfEmpty(file, O_CREAT, error.dump() + "\n");
  }
}

}  // namespace ncclwhy
