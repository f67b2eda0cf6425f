#include "cli/run_folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "cli/local_time.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// 20261123-231500-4711
std::string NameOfNow() { return LocalTime(::time(nullptr), "%Y%m%d-%H%M%S") + "-" + std::to_string(::getpid()); }

Status Failed(const std::string& path, const std::error_code& error) {
  return Status::Io("cannot make the folder " + path + ": " + error.message());
}

std::error_code Errno() { return {errno, std::generic_category()}; }

}  // namespace

Result<RunFolder> RunFolder::Make(const std::string& wanted, std::string* trouble) {
  if (!wanted.empty()) {
    Result<RunFolder> asked = MakeIn(wanted);
    if (asked.ok()) return asked;
    *trouble = asked.status().message();
  }
  // Only places that a command's output may go to; the last one is where it was started.
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::vector<std::string> places;
  if (!error) places.push_back(temporary.string());
  for (const char* usual : {"/tmp", "/var/tmp"}) places.emplace_back(usual);
  const fs::path here = fs::current_path(error);
  if (!error) places.push_back(here.string());
  Status first;
  for (const std::string& place : places) {
    Result<RunFolder> made = MakeTemporary(place);
    if (made.ok()) {
      RunFolder folder = made.take();
      // A folder that was asked for and could not be made: its stand-in is kept all the same.
      folder.wanted_ = !wanted.empty();
      return folder;
    }
    if (first.ok()) first = made.status();
  }
  return first;
}

Result<RunFolder> RunFolder::MakeTemporary(const std::string& folder) {
  RunFolder out;
  std::error_code error;
  out.path_ = (fs::absolute(folder, error) / "ncclwhy-run.XXXXXX").string();
  if (::mkdtemp(out.path_.data()) == nullptr) return Failed(out.path_, Errno());
  if (Status status = out.MakeLogs(); !status.ok()) {
    out.RemoveUnlessWanted();
    return status;
  }
  return out;
}

Result<RunFolder> RunFolder::MakeIn(const std::string& wanted) {
  RunFolder out;
  out.wanted_ = true;
  std::error_code error;
  fs::path path = fs::absolute(wanted, error).lexically_normal();
  // `why/` has an empty last name.
  if (!path.has_filename()) path = path.parent_path();
  const bool exists = fs::exists(path, error);
  if (exists && !fs::is_directory(path, error)) return Failed(wanted, std::make_error_code(std::errc::not_a_directory));
  // A second run into one folder has a folder of its own in there.
  if (exists && !fs::is_empty(path, error)) path /= NameOfNow();
  out.path_ = path.string();
  fs::create_directories(path.parent_path(), error);
  // Somebody may have made it between the two calls; then its own rights count.
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Failed(out.path_, Errno());
  if (Status status = out.MakeLogs(); !status.ok()) return status;
  return out;
}

Status RunFolder::MakeLogs() const { return ::mkdir(logs().c_str(), 0700) == 0 ? Status() : Failed(logs(), Errno()); }

void RunFolder::RemoveUnlessWanted() const {
  std::error_code none;
  if (!wanted_ && !path_.empty()) fs::remove_all(path_, none);
}

}  // namespace ncclwhy
