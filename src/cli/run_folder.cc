#include "cli/run_folder.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>

#include "cli/local_time.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// 20261123-231500-4711
std::string NameOfNow() { return LocalTime(::time(nullptr), "%Y%m%d-%H%M%S") + "-" + std::to_string(::getpid()); }

Status Failed(const std::string& path, const std::error_code& error) {
  return Status::Io("cannot make the folder " + path + ": " + error.message());
}

}  // namespace

Result<RunFolder> RunFolder::Make(const std::string& wanted) {
  RunFolder out;
  std::error_code error;
  if (wanted.empty()) {
    std::string path = fs::temp_directory_path(error).string() + "/ncclwhy-run.XXXXXX";
    if (error) path = "/tmp/ncclwhy-run.XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return Failed(path, {errno, std::generic_category()});
    out.path_ = path;
  } else {
    out.wanted_ = true;
    fs::path path = fs::absolute(wanted, error).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    const bool exists = fs::exists(path, error);
    if (exists && !fs::is_directory(path, error))
      return Failed(wanted, std::make_error_code(std::errc::not_a_directory));
    if (exists && !fs::is_empty(path, error)) path /= NameOfNow();
    out.path_ = path.string();
  }
  fs::create_directories(out.logs(), error);
  if (error) return Failed(out.logs(), error);
  return out;
}

void RunFolder::RemoveUnlessWanted() const {
  std::error_code none;
  if (!wanted_ && !path_.empty()) fs::remove_all(path_, none);
}

}  // namespace ncclwhy
