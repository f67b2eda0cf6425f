#include "collect/log_files.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// Part of a file, piece by piece.
class Pieces {
 public:
  Pieces(const std::string& path, uint64_t from) : in_(path, std::ios::binary), buffer_(256 << 10, '\0') {
    in_.seekg(static_cast<std::streamoff>(from));
  }
  std::string_view Next() {
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    return {buffer_.data(), static_cast<size_t>(std::max<std::streamsize>(in_.gcount(), 0))};
  }

 private:
  std::ifstream in_;
  std::string buffer_;
};

Status AddPart(CollectionSink* sink, const std::string& name, const std::string& path, uint64_t from, uint64_t size) {
  Pieces pieces(path, from);
  return sink->Add(name, size, [&] { return pieces.Next(); });
}

}  // namespace

void LogFiles::AddFile(const std::string& path) {
  std::error_code error;
  const std::string whole = fs::canonical(path, error).string();
  if (error || !std::ifstream(whole)) {
    problems_.push_back(path + " cannot be read");
  } else if (files_.size() < kMostFiles && known_.insert(whole).second) {
    files_.push_back(whole);
  }
}

void LogFiles::AddPath(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return AddFile(path);
  fs::recursive_directory_iterator i(path, fs::directory_options::skip_permission_denied, error), end;
  std::vector<std::string> found;
  for (; i != end && !error && found.size() < kMostFiles; i.increment(error)) {
    std::error_code none;
    if (i->is_regular_file(none)) found.push_back(i->path().string());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& file : found) AddFile(file);
}

void LogFiles::AddLike(const std::string& pattern) {
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      std::error_code none;
      if (fs::is_regular_file(found.gl_pathv[i], none)) AddFile(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
}

void LogFiles::AddOf(const HostProcess& process) {
  for (const std::string& path : process.outputs) AddFile(path);
  // /tmp/nccl.%h.%p.log: of every process beside this one, too.
  if (std::string file = process.Variable("NCCL_DEBUG_FILE"); !file.empty() && file.front() == '/') {
    std::string pattern;
    for (size_t i = 0; i < file.size(); ++i) {
      const bool field = file[i] == '%' && i + 1 < file.size();
      pattern += field ? (file[i + 1] == '%' ? "%" : "*") : std::string(1, file[i]);
      i += field ? 1 : 0;
    }
    AddLike(pattern);
  }
  for (const char* name : {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
    const std::string stem = process.Variable(name);
    if (!stem.empty() && stem.front() == '/') AddLike(stem + "*");
  }
}

Status LogFiles::Write(const std::string& folder, CollectionSink* sink, std::string* manifest) {
  std::set<std::string> names;
  for (const std::string& path : files_) {
    const std::string base = fs::path(path).filename().string();
    std::string name = base;
    for (int i = 2; !names.insert(name).second; ++i) name = std::to_string(i) + "/" + base;
    std::error_code error;
    const uint64_t size = fs::file_size(path, error);
    if (error) continue;
    *manifest += folder + "/" + name + "  " + path + ": " + std::to_string(size) + " bytes";
    if (size <= kMostBytes) {
      if (Status status = AddPart(sink, folder + "/" + name, path, 0, size); !status.ok()) return status;
    } else {
      *manifest += ", of which the middle is left out";
      constexpr uint64_t kHalf = kMostBytes / 2;
      if (Status status = AddPart(sink, folder + "/" + name, path, 0, kHalf); !status.ok()) return status;
      if (Status status = AddPart(sink, folder + "/" + name + ".end", path, size - kHalf, kHalf); !status.ok()) {
        return status;
      }
    }
    *manifest += "\n";
  }
  return {};
}

}  // namespace ncclwhy
