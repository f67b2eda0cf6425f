#include "serve/upload.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/escape.h"
#include "base/utf8.h"
#include "serve/log_request.h"

namespace ncclwhy {
namespace {

// On disk where the folder for temporary files allows nameless ones, else in memory.
int NamelessFile() {
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error).string();
  const int file = error ? -1 : ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return file >= 0 ? file : ::memfd_create("ncclwhy-upload", MFD_CLOEXEC);
}

// Browsers of the past sent the whole path, with either kind of slash. Of a long name the end stays, where its number
// is:
//    C:\logs\node07.log   →   node07.log
std::string Label(std::string_view name) {
  const size_t slash = name.find_last_of("/\\");
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (name.size() > kLogNameBytes) name.remove_prefix(name.size() - kLogNameBytes);
  std::string label = EscapeTerminal(SanitizeUtf8(name));
  return label.empty() ? "log" : label;
}

}  // namespace

Upload::~Upload() {
  for (const Part& part : parts_) ::close(part.descriptor);
  *room_ += taken_;
}

Status Upload::Begin(std::string_view name) { return BeginAs(Label(name)); }

Status Upload::BeginAs(std::string label) {
  if (parts_.size() >= kParts)
    return Status::Limit("a form takes " + std::to_string(kParts) + " files; send an archive");
  const int file = NamelessFile();
  if (file < 0) return Status::Io(std::string("no place for an upload: ") + std::strerror(errno));
  parts_.push_back({file, std::move(label), 0});
  return {};
}

Status Upload::Write(std::string_view bytes) {
  // Before the room is asked: an upload that can never fit takes nothing from others.
  if (bytes.size() > left_) return Status::Limit("the upload is too large");
  const auto size = static_cast<int64_t>(bytes.size());
  // Taken first and asked then, in one step: two uploads that find the same room could both have it otherwise.
  taken_ += size;
  if ((*room_ -= size) < 0) return Status::Io("too much is uploaded at a time; try again");
  left_ -= bytes.size();
  Part& part = parts_.back();
  part.bytes += bytes.size();
  while (!bytes.empty()) {
    const ssize_t n = ::write(part.descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    // The folder for temporary files is full.
    if (n <= 0) return Status::Io(std::string("the upload cannot be kept: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

std::vector<UploadedLog> Upload::Logs() {
  std::vector<UploadedLog> out;
  for (const Part& part : parts_) {
    // Written at its end, read from its beginning.
    if (part.bytes > 0 && ::lseek(part.descriptor, 0, SEEK_SET) == 0) out.push_back({part.descriptor, part.name});
  }
  return out;
}

}  // namespace ncclwhy
