#include "collect/log_files.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/leads_out.h"
#include "collect/plain_file.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// What is read is what the file had when its size was taken; a log that grows meanwhile grows behind that.
Status AddPart(CollectionSink* sink, const std::string& name, PlainFile* file, uint64_t from, uint64_t size) {
  file->Seek(from);
  return sink->Add(name, size, [&] { return file->Next(); });
}

// A pattern that only the text itself matches.
std::string Literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void LogFiles::AddFile(const std::string& path, const std::string& within, const HostProcess* named_by) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  struct stat file {};
  const bool there = !error && ::stat(whole.c_str(), &file) == 0;
  const bool out = there && !within.empty() && !IsBelow(whole, fs::canonical(within, error));
  const bool regular = there && S_ISREG(file.st_mode);
  // A pipe is not asked whether it can be read.
  if (!there || (regular && !out && ::access(whole.c_str(), R_OK) != 0)) {
    problems_.push_back(path + " cannot be read");
  } else if (out) {
    problems_.push_back(path + " is a link out of the folder and was not taken; name it to take it");
  } else if (!regular) {
    problems_.push_back(path + " is no regular file and was not taken");
    // As root all can be read: a process that names /etc/shadow as its log must not get it into an archive.
  } else if (named_by != nullptr && ::geteuid() == 0 && named_by->user != 0 && file.st_uid != named_by->user) {
    problems_.push_back(path + " does not belong to the user of process " + std::to_string(named_by->pid) +
                        ", which names it, and was not taken; name it to take it");
  } else if (files_.size() >= kMostFiles) {
    if (!too_many_) problems_.push_back("more than " + std::to_string(kMostFiles) + " files: the rest was not taken");
    too_many_ = true;
  } else if (known_.insert(whole.string()).second) {
    files_.push_back(whole.string());
    if (named_by != nullptr && ::geteuid() == 0 && named_by->user != 0) owners_.emplace(whole.string(), named_by->user);
  }
}

void LogFiles::AddPath(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return AddFile(path);
  fs::recursive_directory_iterator i(path, fs::directory_options::skip_permission_denied, error), end;
  std::vector<std::string> found;
  for (; i != end && !error && found.size() <= kMostFiles; i.increment(error)) {
    std::error_code none;
    // Links that lead nowhere are kept as well: a problem is told for each.
    if (i->is_regular_file(none) || (i->is_symlink(none) && !i->exists(none))) found.push_back(i->path().string());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& file : found) AddFile(file, path);
}

void LogFiles::AddLike(const std::string& pattern, const HostProcess& process) {
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      std::error_code none;
      if (fs::is_regular_file(found.gl_pathv[i], none)) AddFile(found.gl_pathv[i], {}, &process);
    }
  }
  ::globfree(&found);
}

void LogFiles::AddOf(const HostProcess& process) {
  for (const std::string& path : process.outputs) {
    std::error_code none;
    // As the kernel names it: without links, unless one was put there since.
    if (fs::canonical(path, none) == path) AddFile(path);
  }
  // /tmp/nccl.%h.%p.log: of every process beside this one, too.
  if (std::string file = process.Variable("NCCL_DEBUG_FILE"); !file.empty() && file.front() == '/') {
    std::string pattern;
    for (size_t i = 0; i < file.size(); ++i) {
      const bool field = file[i] == '%' && i + 1 < file.size();
      pattern += field ? (file[i + 1] == '%' ? "%" : "*") : Literal(file.substr(i, 1));
      i += field ? 1 : 0;
    }
    AddLike(pattern, process);
  }
  for (const char* name : {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
    const std::string stem = process.Variable(name);
    if (!stem.empty() && stem.front() == '/') AddLike(Literal(stem) + "*", process);
  }
}

Status LogFiles::Write(const std::string& folder, CollectionSink* sink, std::vector<std::string>* notes) {
  for (const std::string& problem : problems_) notes->push_back(folder + "  " + problem);
  std::set<std::string> names;
  for (const std::string& path : files_) {
    const std::string base = fs::path(path).filename().string();
    std::string name = base;
    // Two ranks may have logs of one name in folders of their own: the second one becomes 2/rank.log.
    for (int i = 2; !names.insert(name).second; ++i) name = std::to_string(i) + "/" + base;
    name = folder + "/" + name;
    PlainFile file(path);
    const auto owner = owners_.find(path);
    if (!file.ok() || (owner != owners_.end() && owner->second != file.stat().st_uid)) {
      notes->push_back(name + "  " + path + ": is not there any more");
      continue;
    }
    if (sink->IsItself(file.stat())) {
      notes->push_back(name + "  " + path + ": is this archive");
      continue;
    }
    const uint64_t size = file.size();
    ++written_;
    notes->push_back(name + "  " + path + ": " + std::to_string(size) + " bytes");
    if (size <= kMostBytes) {
      if (Status status = AddPart(sink, name, &file, 0, size); !status.ok()) return status;
      continue;
    }
    notes->back() += ", of which the middle is left out";
    constexpr uint64_t kHalf = kMostBytes / 2;
    if (Status status = AddPart(sink, name, &file, 0, kHalf); !status.ok()) return status;
    if (Status status = AddPart(sink, name + ".end", &file, size - kHalf, kHalf); !status.ok()) return status;
  }
  return {};
}

}  // namespace ncclwhy
