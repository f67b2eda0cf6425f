// ncclwhy show FILE:LINE: a line of a log with those around it, packed or not.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/escape.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "read/source.h"

namespace ncclwhy {
namespace {

constexpr CommandText kShowText = {
    .usage = R"(ncclwhy show [OPTIONS] FILE:LINE)",
    .about = R"(A line of a log with those around it, as reports name it: what is packed is
unpacked, ARCHIVE/MEMBER:LINE is a member. Control characters are shown, not
obeyed.)",
    .exit_status = R"(0 shown; 2 there is no such line.)",
    .examples = R"(ncclwhy show logs/rank3.log.gz:41
ncclwhy show --context 20 logs.tar.gz/rank3.log:1200)",
};

// The file of a place: all of it, or what stands in front of the member's name.
//    logs.tar.gz/node1/rank3.log → logs.tar.gz
std::string FileOf(const std::string& name) {
  std::error_code unknown;
  for (size_t end = name.size(); end != std::string::npos && end > 0; end = name.rfind('/', end - 1)) {
    if (std::filesystem::is_directory(name.substr(0, end), unknown)) return name;
    if (std::filesystem::exists(name.substr(0, end), unknown)) return name.substr(0, end);
  }
  return name;
}

// Keeps the lines around one of the source of that name. Lines are counted as reports count them: unpacked, by \n
// alone.
class LinesAround : public ByteSink {
 public:
  LinesAround(std::string_view name, uint64_t line, uint64_t context)
      : name_(name), line_(line), last_(line + context), first_(line > context ? line - context : 1) {}

  bool Begin(std::string_view name) override {
    inside_ = !found_ && name == name_;
    found_ = found_ || inside_;
    return inside_;
  }
  void Push(std::string_view chunk) override {
    while (!chunk.empty() && number_ < last_) {
      const size_t end = chunk.find('\n');
      // Lines in front of the context are not kept: logs may be larger than the memory. A line may be as long as a
      // file.
      if (number_ + 1 >= first_ && text_.size() < limits::kLineBytes) {
        text_ += chunk.substr(0, std::min(end, limits::kLineBytes - text_.size()));
      }
      begun_ = true;
      if (end == std::string_view::npos) return;
      EndLine();
      chunk.remove_prefix(end + 1);
    }
  }
  void End() override {
    if (begun_) EndLine();
    inside_ = false;
  }
  bool WantsMore() override { return !found_ || (inside_ && number_ < last_); }

  bool found() const { return found_; }
  uint64_t number() const { return number_; }  // of the last line that was read
  const std::string& shown() const { return out_; }

 private:
  // > 41  misc/shmutils.cc:87 NCCL WARN Error: failed to extend …
  void EndLine() {
    begun_ = false;
    if (++number_ >= first_) {
      while (text_.ends_with('\r')) text_.pop_back();
      out_ += (number_ == line_ ? "> " : "  ") + std::to_string(number_) + "  " + EscapeTerminal(text_) + "\n";
    }
    text_.clear();
  }

  const std::string_view name_;
  const uint64_t line_;
  const uint64_t last_;
  const uint64_t first_;
  bool found_ = false;
  bool inside_ = false;
  bool begun_ = false;  // a line of which no end was seen
  uint64_t number_ = 0;
  std::string text_;
  std::string out_;
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
    const std::string name = place_.substr(0, colon);
    const std::string file = FileOf(name);
    LinesAround lines(name, *line, context_);
    const Status status = ReadSource({file, file}, lines);
    if (lines.number() >= *line) return WriteStandardOutput(lines.shown()) == Written::kFailed ? kExitTrouble : 0;
    if (!status.ok()) {
      Complain(status.message());
    } else if (!lines.found()) {
      Complain(name + (name == file ? ": is an archive: name the member, as reports do, " + name + "/MEMBER:LINE"
                                    : ": there is no such file in " + file));
    } else {
      Complain(place_ + ": the file has " + std::to_string(lines.number()) + " lines");
    }
    return kExitTrouble;
  }

 private:
  std::string place_;
  uint64_t context_ = 5;
};

}  // namespace

std::unique_ptr<Subcommand> NewShowCommand() { return std::make_unique<ShowCommand>(); }

}  // namespace ncclwhy
