#include "read/source.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/leads_out.h"
#include "read/archive_reader.h"
#include "read/line_ends.h"
#include "read/read_file.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

bool IsHidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.empty() && name[0] == '.';
}

// Regular files below `root`, sorted by name. Links to directories are not followed: they may form a circle.
void Walk(const std::string& root, size_t most, std::vector<SourceSpec>* specs, std::vector<std::string>* problems) {
  std::vector<std::string> found;
  bool linked = false;
  std::error_code error;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && it != end && found.size() < most; it.increment(error)) {
    std::error_code ignored;
    if (IsHidden(it->path())) {
      if (it->is_directory(ignored)) it.disable_recursion_pending();
    } else if (it->is_symlink(ignored) && it->is_regular_file(ignored) && LeadsOut(it->path(), root)) {
      problems->push_back(it->path().string() + ": is a link out of the directory; name it to read it");
      linked = true;
    } else if (it->is_regular_file(ignored)) {
      found.push_back(it->path().string());
    }
  }
  if (error) problems->push_back(root + ": cannot be read to its end: " + error.message());
  if (found.empty() && !error && !linked) problems->push_back(root + ": no files in this directory");
  std::sort(found.begin(), found.end());
  for (std::string& path : found) specs->push_back({path, path});
}

// What is named itself is read, whatever it is; only what lies in a folder is chosen.
void Add(const std::string& path, size_t most, std::vector<SourceSpec>* specs, std::vector<std::string>* problems) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    Walk(path, most, specs, problems);
  } else if (fs::exists(status)) {
    specs->push_back({path, path});
  } else {
    problems->push_back(path + ": " + (error ? error.message() : std::string("no such file or directory")));
  }
}

bool HasGlob(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

// Closes what it opened; standard input is not ours to close.
class Descriptor {
 public:
  explicit Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~Descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

}  // namespace

// Arguments in their order, files of a folder or a glob sorted: the order of sources does not depend on the file
// system.
std::vector<SourceSpec> ExpandSources(const std::vector<std::string>& arguments, std::vector<std::string>* problems,
                                      size_t most) {
  std::vector<SourceSpec> specs;
  for (const std::string& argument : arguments) {
    if (specs.size() >= most) break;
    if (argument == "-") {
      specs.push_back({"-", "(standard input)"});
      continue;
    }
    if (argument.find('\0') != std::string::npos) {
      // To the system the name ends there: it would be another file.
      problems->push_back(argument.substr(0, argument.find('\0')) + "…: a NUL byte in a name; it was not read");
      continue;
    }
    std::error_code ignored;
    if (!HasGlob(argument) || fs::exists(argument, ignored)) {
      Add(argument, most, &specs, problems);
      continue;
    }
    glob_t matches{};
    if (::glob(argument.c_str(), 0, nullptr, &matches) == 0) {  // sorted by glob(3)
      for (size_t i = 0; i < matches.gl_pathc && specs.size() < most; ++i) {
        Add(matches.gl_pathv[i], most, &specs, problems);
      }
    } else {
      problems->push_back(argument + ": matches no file");
    }
    ::globfree(&matches);
  }
  // A file that was named twice is one source.
  std::vector<SourceSpec> unique;
  std::set<std::string> seen;
  for (SourceSpec& spec : specs) {
    if (seen.insert(spec.path).second) unique.push_back(std::move(spec));
  }
  return unique;
}

// The path as it is in the file system, the name as reports print it: they differ for standard input alone.
Status ReadSource(const SourceSpec& spec, ByteSink& sink) {
  const bool standard_input = spec.path == "-";
  const int fd = standard_input ? STDIN_FILENO : ::open(spec.path.c_str(), O_RDONLY | O_CLOEXEC);
  const Descriptor descriptor(fd, !standard_input);
  if (fd < 0) {
    const int error = errno;
    const std::string text = spec.name + ": " + std::strerror(error);
    return error == ENOENT ? Status::NotFound(text) : Status::Io(text);
  }
  return ReadDescriptor(fd, spec.name, sink);
}

// By content: packed, of an unknown packer, one endless line, or as it is.
Status ReadDescriptor(int fd, const std::string& name, ByteSink& sink) {
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) return Status::Io(name + ": is a directory");
  // Standard input may have been read from: { read first; ncclwhy -; } < job.log
  const off_t begin = S_ISREG(info.st_mode) ? std::max<off_t>(::lseek(fd, 0, SEEK_CUR), 0) : 0;

  FileReader reader(fd, name);
  std::string_view first;
  Status status = reader.First(&first);
  if (!status.ok() && first.empty()) return status;
  // What came before an error is read; whoever asks for the next bytes meets the error again.
  // In front of Begin: what is packed has members, or names of its own.
  if (LooksPacked(first)) {
    if (status.ok()) status = reader.FirstOfPacked(&first);
    sink.OnPacked();
    return ReadPacked(reader, first, name, sink);
  }

  if (const std::string_view packer = UnreadablePacker(first); !packer.empty()) {
    return Status::Io(name + ": is packed by " + std::string(packer) + ", which is not read; unpack it first");
  }
  std::optional<LineEnds> ends = LineEnds::For(first);
  const auto push = [&] { sink.Push(ends ? ends->Mend(first) : first); };
  const bool wanted = sink.Begin(name);
  if (wanted && !first.empty()) push();
  while (wanted && !first.empty()) {
    if (!sink.WantsMore()) {
      sink.End();
      return status;
    }
    status = reader.Next(&first);
    if (!status.ok() || first.empty()) break;
    push();
  }
  if (wanted) sink.End();
  // Somebody truncated it: what is missing is not to be taken for a job that went silent.
  // Files of /proc and /sys have a size that says nothing, and no blocks.
  const bool has_size = S_ISREG(info.st_mode) && info.st_blocks > 0 && info.st_size > begin;
  if (status.ok() && wanted && has_size && reader.bytes() < static_cast<uint64_t>(info.st_size - begin)) {
    return Status::Io(name + ": became shorter while it was read");
  }
  return status;
}

}  // namespace ncclwhy
