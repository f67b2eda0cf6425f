#include "cli/mistaken_log.h"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/did_you_mean.h"
#include "cli/subcommand.h"

namespace ncclwhy {
namespace {

// The first bytes of every SQLite file; at 68 stands the application that wrote it.
constexpr std::string_view kSqlite("SQLite format 3\0", 16);
constexpr size_t kApplicationAt = 68;
constexpr std::string_view kTimeline = "NClw";  // kApplicationId, the higher bytes first

}  // namespace

std::string NothingThere(const std::vector<std::string>& logs) {
  std::string out;
  for (const std::string& log : logs) {
    std::error_code error;
    // One that is there, or that may be, is enough.
    if (log == "-" || log.find_first_of("*?[") != std::string::npos || std::filesystem::exists(log, error)) return {};
    out += (out.empty() ? "" : ", ") + log;
  }
  out += logs.size() == 1 ? ": does not exist" : ": do not exist";
  std::vector<std::string> names;
  for (const auto& command : AllCommands()) {
    if (command->name() == logs[0]) return {};  // MistakenLog tells more
    names.emplace_back(command->name());
  }
  return out + DidYouMean(logs[0], names);
}

std::string MistakenLog(const std::string& log) {
  std::error_code ignored;
  if (!std::filesystem::exists(log, ignored)) {
    for (const auto& command : AllCommands()) {
      if (command->name() == log) {
        return log + ": does not exist; if the command is meant, it stands first: ncclwhy " + log + " …";
      }
    }
    return {};
  }
  // Named pipes and /dev/stdin: looking would take bytes away.
  if (!std::filesystem::is_regular_file(log, ignored)) return {};  // a pipe's bytes can be read only once
  std::string head(kApplicationAt + kTimeline.size(), '\0');
  std::ifstream(log, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  // The database of another program, a browser's say, that lies among the logs.
  if (!head.starts_with(kSqlite)) return {};
  if (head.substr(kApplicationAt) != kTimeline) return log + ": is a SQLite database, not a log";
  return log + ": is a timeline, not a log: ncclwhy query " + log + " \"SELECT …\"";
}

}  // namespace ncclwhy
