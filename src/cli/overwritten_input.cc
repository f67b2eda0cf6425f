#include "cli/overwritten_input.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "report/own_report.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// Whatever it is called: a link, another spelling, another hard link.
bool Same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

bool IsOrHolds(const std::string& path, const struct stat& file) {
  struct stat here {};
  if (::stat(path.c_str(), &here) != 0) return false;
  if (!S_ISDIR(here.st_mode)) return Same(here, file);
  std::error_code error;
  fs::recursive_directory_iterator i(path, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && i != end; i.increment(error)) {
    if (::stat(i->path().c_str(), &here) == 0 && Same(here, file)) return true;
  }
  return false;
}

bool IsRead(const std::string& log, const struct stat& file) {
  if (log == "-") {
    // `ncclwhy digest - -o rank0.log < rank0.log`.
    struct stat input {};
    return ::fstat(STDIN_FILENO, &input) == 0 && Same(input, file);
  }
  if (IsOrHolds(log, file)) return true;
  if (log.find_first_of("*?[") == std::string::npos) return false;
  glob_t found{};
  bool is = false;
  if (::glob(log.c_str(), 0, nullptr, &found) == 0) {
    is = std::any_of(found.gl_pathv, found.gl_pathv + found.gl_pathc,
                     [&](const char* path) { return IsOrHolds(path, file); });
  }
  ::globfree(&found);
  return is;
}

}  // namespace

std::string OverwrittenInput(const std::string& output, const std::vector<std::string>& logs) {
  struct stat file {};
  // A new file, a device or a pipe takes nothing away.
  if (output == "-" || ::stat(output.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  const bool is = std::any_of(logs.begin(), logs.end(), [&](const std::string& log) { return IsRead(log, file); });
  return is ? output + ": is one of the files that are read, and is not replaced: name another one with -o" : "";
}

std::string OverwrittenByReport(const std::string& output, const std::vector<std::string>& logs) {
  std::string sentence = OverwrittenInput(output, logs);
  if (sentence.empty()) return sentence;
  std::string head(kReportHead, '\0');
  std::ifstream in(output, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  // An empty file has nothing to lose; an older report is what is to be replaced.
  return head.empty() || IsOwnReport(head) ? std::string() : sentence;
}

}  // namespace ncclwhy
