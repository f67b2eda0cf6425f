#include "cli/mistaken_log.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/text.h"
#include "cli/command_words.h"
#include "cli/did_you_mean.h"
#include "cli/subcommand.h"
#include "read/source.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

// The first bytes of every SQLite file; at 68 stands the application that wrote it.
constexpr std::string_view kSqlite("SQLite format 3\0", 16);
constexpr size_t kApplicationAt = 68;
constexpr std::string_view kTimeline = "NClw";  // kApplicationId, the higher bytes first

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const auto& command : AllCommands()) names.emplace_back(command->name());
  return names;
}

}  // namespace

std::string NothingThere(const std::vector<std::string>& logs, bool names_only, Language language) {
  std::vector<std::string> problems;
  if (std::find(logs.begin(), logs.end(), "-") != logs.end() || !ExpandSources(logs, &problems, 1).empty()) return {};
  const CommandWords& words = CommandWordsOf(language);
  std::string missing, others;
  uint64_t count = 0;
  for (const std::string& log : logs) {
    std::error_code error;
    if (std::filesystem::is_directory(log, error)) {
      // One that cannot be read, or has links out of it alone, is for the report to tell.
      const std::string empty = Filled(CommandWordsOf(Language::kEnglish).no_files, log);
      if (std::find(problems.begin(), problems.end(), empty) == problems.end()) return {};
      others += (others.empty() ? "" : "; ") + Filled(words.no_files, log);
    } else if (log.find_first_of("*?[") != std::string::npos) {
      others += (others.empty() ? "" : "; ") + Filled(words.no_match, log);
    } else {
      missing += (count++ == 0 ? "" : std::string(words.list)) + log;
    }
  }
  if (count == 0) return names_only ? std::string() : others;
  const std::vector<std::string> names = CommandNames();
  // MistakenLog tells more of a command that stands behind options.
  if (others.empty() && std::find(names.begin(), names.end(), logs[0]) != names.end()) return {};
  missing = Filled(Plural(words.missing, count), missing);
  return missing + (others.empty() ? DidYouMean(logs[0], names, language) : "; " + others);
}

std::string MisspeltCommand(const std::vector<std::string>& logs, Language language) {
  std::error_code ignored;
  // Only what looks like a command: run1, logs/runs and serve.log are names of logs.
  if (logs.size() < 2 || std::filesystem::exists(logs[0], ignored)) return {};
  if (!std::all_of(logs[0].begin(), logs[0].end(), [](char c) { return IsLower(c); })) return {};
  const std::string meant = DidYouMean(logs[0], CommandNames(), language);
  return meant.empty() ? meant : Filled(Plural(CommandWordsOf(language).missing, 1), logs[0]) + meant;
}

std::string MistakenLog(const std::string& log, Language language) {
  const CommandWords& words = CommandWordsOf(language);
  std::error_code ignored;
  if (!std::filesystem::exists(log, ignored)) {
    const std::vector<std::string> names = CommandNames();
    const bool is_command = std::find(names.begin(), names.end(), log) != names.end();
    return is_command ? Filled(words.stands_first, log) : std::string();
  }
  // Named pipes and /dev/stdin: looking would take bytes away.
  if (!std::filesystem::is_regular_file(log, ignored)) return {};  // a pipe's bytes can be read only once
  std::string head(kApplicationAt + kTimeline.size(), '\0');
  std::ifstream(log, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  // The database of another program, a browser's say, that lies among the logs.
  if (!head.starts_with(kSqlite)) return {};
  return Filled(head.substr(kApplicationAt) != kTimeline ? words.database : words.timeline, log);
}

}  // namespace ncclwhy
