// ncclwhy minimize LOG... -o FILE: the shortest redacted log that keeps the answer.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "api/minimize.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/overwritten_input.h"
#include "cli/subcommand.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

constexpr CommandText kMinimizeText = {
    .usage = R"(ncclwhy minimize [OPTIONS] LOG... -o FILE)",
    .about = R"(The shortest log that keeps the answer (verdict, first cause, culprit), with
aliases for hosts, addresses, users, paths and tokens: for bug reports, and for
near misses of rules. LOG: files that are not packed, and directories. Where the
answer needs several files, FILE becomes a directory of them. Read it before you
share it: numbers and words of NCCL stay.)",
    .exit_status = R"(0 written; 2 something could not be read or written, or the log has
another answer without its names.)",
    .examples = R"(ncclwhy minimize -o short.log logs/
ncclwhy minimize --keep-names job.log -o near-miss.log)",
};

// Reading takes a second for each try then.
constexpr uintmax_t kMostBytes = 64u << 20;

class MinimizeCommand : public Subcommand {
 public:
  std::string_view name() const override { return "minimize"; }
  CommandText text() const override { return kMinimizeText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("LOG", paths_)->required();
    app->add_option("-o,--output", output_, "write there")->type_name("FILE")->required();
    app->add_flag("--keep-names", keep_names_, "no aliases");
    AddKnowledgeOptions(app, &options_.analyzer);
  }

  int Run() override {
    // Before the analyses, which take minutes.
    if (!Keeps({output_})) return kExitTrouble;
    std::vector<LogLines> logs;
    for (const std::string& path : paths_) {
      if (!Read(path, &logs)) return kExitTrouble;
    }
    options_.redact = !keep_names_;
    const Result<MinimizedLog> result = Minimize(logs, options_);
    if (!result.ok()) {
      Complain(result.status().message());
      return kExitTrouble;
    }
    const MinimizedLog& least = result.value();
    if (!Write(least.logs)) return kExitTrouble;
    const std::string answer = RenderSummary(least.report, {});
    Complain(output_ + ": " + std::to_string(least.lines) + " of " + std::to_string(least.lines_before) +
             // The short answer of the minimised log shows that it is the same.
             " lines: " + answer.substr(0, answer.find('\n')));
    return 0;
  }

 private:
  // Nothing that is read is lost.
  bool Keeps(const std::vector<std::string>& outputs) const {
    return std::all_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
      const std::string lost = OverwrittenInput(output, paths_);
      if (!lost.empty()) Complain(lost);
      return lost.empty();
    });
  }

  bool Read(const std::string& path, std::vector<LogLines>* logs) {
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) {
      std::vector<std::string> inside;
      using Walk = std::filesystem::recursive_directory_iterator;
      for (Walk i(path, std::filesystem::directory_options::skip_permission_denied, none), end; i != end && !none;
           i.increment(none)) {
        // A rank that wrote nothing has an empty file; a link that leads nowhere is no log.
        std::error_code unknown;
        if (i->is_regular_file(unknown) && i->file_size(unknown) > 0) inside.push_back(i->path().string());
      }
      // In the order of names, so that the same folder gives the same log.
      std::sort(inside.begin(), inside.end());
      return std::all_of(inside.begin(), inside.end(), [&](const std::string& each) { return Read(each, logs); });
    }
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    if (!file || !(bytes << file.rdbuf()).good()) {
      Complain(path + ": cannot be read, or is empty");
      return false;
    }
    const std::string text = std::move(bytes).str();
    // All files together: each try reads them all.
    bytes_ += text.size();
    if (bytes_ > kMostBytes || text.find('\0') != std::string::npos) {
      Complain(path + (bytes_ > kMostBytes ? ": more than 64 MiB" : ": is no text; unpack it first"));
      return false;
    }
    logs->push_back(SplitLog(path, text));
    return true;
  }

  bool Write(const std::vector<LogLines>& logs) const {
    const bool several = logs.size() > 1;
    std::error_code failed;
    // Several files have the answer only together: then FILE is a folder.
    if (several) std::filesystem::create_directories(output_, failed);
    std::vector<std::string> outputs;
    for (size_t i = 0; i < logs.size(); ++i) {
      // A number in front: two directories may hold the same name.
      const std::string name = std::filesystem::path(logs[i].name).filename().string();
      outputs.push_back(several ? output_ + "/" + std::to_string(i) + "-" + name : output_);
    }
    // Once more, with the names that the files get.
    if (!Keeps(outputs)) return false;
    for (size_t i = 0; i < logs.size(); ++i) {
      std::string text;
      for (const std::string& line : logs[i].lines) text += line + "\n";
      if (const Status done = WriteFile(outputs[i], text); !done.ok()) {
        Complain(done.message());
        return false;
      }
    }
    return true;
  }

  MinimizeOptions options_;
  std::vector<std::string> paths_;
  std::string output_;
  uintmax_t bytes_ = 0;
  bool keep_names_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> NewMinimizeCommand() { return std::make_unique<MinimizeCommand>(); }

}  // namespace ncclwhy
