// ncclwhy show FILE:LINE: a line of a log with those around it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/escape.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "cli/output.h"
#include "cli/subcommand.h"

namespace ncclwhy {
namespace {

constexpr CommandText kShowText = {
    .usage = R"(ncclwhy show [OPTIONS] FILE:LINE)",
    .about = R"(A line of a log with those around it, as reports name it. Control characters are
shown, not obeyed. Not for members of archives.)",
    .exit_status = R"(0 shown; 2 there is no such line.)",
    .examples = R"(ncclwhy show logs/rank3.log:41
ncclwhy show --context 20 job.log:1200)",
};

class ShowCommand : public Subcommand {
 public:
  std::string_view name() const override { return "show"; }
  CommandText text() const override { return kShowText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("PLACE", place_)->required();
    app->add_option("--context", context_, "lines before and after (default 5)")
        ->type_name("N")
        ->check(CLI::Range(0, 1000));
  }

  int Run() override {
    // The last colon: names of files may have one.
    const size_t colon = place_.rfind(':');
    const auto line = colon == std::string::npos ? std::nullopt : ParseInt<uint64_t>(place_.substr(colon + 1));
    if (!line || *line == 0) {
      Complain(place_ + ": is no FILE:LINE");
      return kExitTrouble;
    }
    const std::string path = place_.substr(0, colon);
    // A stream opens a folder and has no line to read.
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
      Complain(path + ": is a directory");
      return kExitTrouble;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      Complain(path + ": cannot be read");
      return kExitTrouble;
    }
    std::string out;
    std::string text;
    // Lines are counted as reports count them, by \n alone.
    uint64_t number = 0;
    while (number < *line + context_ && std::getline(file, text)) {
      // Lines in front of the context are not kept: logs may be larger than the memory.
      if (++number + context_ < *line) continue;
      while (!text.empty() && text.back() == '\r') text.pop_back();
      out += (number == *line ? "> " : "  ") + std::to_string(number) + "  " +
             // A line may be as long as a file.
             EscapeTerminal(text.substr(0, limits::kLineBytes)) + "\n";
    }
    if (number < *line) {
      Complain(place_ + ": the file has " + std::to_string(number) + " lines");
      return kExitTrouble;
    }
    return WriteStandardOutput(out) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  std::string place_;
  uint64_t context_ = 5;
};

}  // namespace

std::unique_ptr<Subcommand> NewShowCommand() { return std::make_unique<ShowCommand>(); }

}  // namespace ncclwhy
