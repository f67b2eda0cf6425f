#include "read/headed_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "parser/scan.h"
#include "read/digest.h"

namespace ncclwhy {
namespace {

constexpr size_t kHeadedBytes = 4u << 20;  // held back until a second name comes
constexpr size_t kFiles = 1024;            // of one text; what comes under further names stays with the last one
constexpr size_t kLongestName = 256;
constexpr size_t kLinesInFront = 3;

enum class Form : uint8_t { kNone, kTail, kMore, kHosts, kScript };

struct Heading {
  Form form = Form::kNone;
  std::string_view name;
  size_t size = 0;   // with its line ends
  bool cut = false;  // further lines are needed to tell
};

std::string_view WithoutEnd(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string_view LineAt(std::string_view text, size_t at) {
  const size_t end = text.find('\n', at);
  return end == std::string_view::npos ? std::string_view() : text.substr(at, end + 1 - at);
}

bool IsRule(std::string_view line, char mark, size_t least) {
  return line.size() >= least && line.find_first_not_of(mark) == std::string_view::npos;
}

// One word with a digit, or a set of such: node12, gpu-a[01-04,07]. No word of a table's title.
bool IsHosts(std::string_view name) {
  return !name.empty() && IsAlpha(name.front()) && std::any_of(name.begin(), name.end(), IsDigit) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlnum(c) || std::string_view("-._[],").find(c) != std::string_view::npos; });
}

// A path that ends as names of logs do: out/rank_3.err, worker-1.log, slurm-77.out.1
bool IsLogName(std::string_view name) {
  if (name.empty() || name.find_first_of(" \t\"'<>|*") != std::string_view::npos) return false;
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  if (name.ends_with('.')) name.remove_suffix(1);
  constexpr std::string_view kEnds[] = {".log", ".txt", ".out", ".err"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return name.size() > end.size() && name.ends_with(end); });
}

// ===== worker-1.log =====     ### FILE: worker-1.log
std::string_view NameBetweenMarks(std::string_view line) {
  const size_t begin = line.find_first_not_of(line.front());
  if (begin == std::string_view::npos || begin < 2) return {};
  std::string_view name = scan::Trim(line.substr(begin));
  while (!name.empty() && name.back() == line.front()) name.remove_suffix(1);
  name = scan::Trim(name);
  // Not the beginning of a name: fileserver.log
  for (const std::string_view word : {"FILE:", "File:", "file:", "FILE ", "File ", "file "}) {
    if (name.starts_with(word)) name = scan::Trim(name.substr(word.size()));
  }
  return IsLogName(name) ? name : std::string_view();
}

// Of the line that begins at `text`. `last`: nothing follows what is there.
Heading HeadingAt(std::string_view text, bool last) {
  Heading heading;
  const std::string_view first = LineAt(text, 0);
  const std::string_view line = WithoutEnd(first);
  if (line.size() < 5 || line.size() > kLongestName + 16) return heading;
  if (line.starts_with("==> ") && line.ends_with(" <==")) {
    heading = {Form::kTail, line.substr(4, line.size() - 8), first.size()};
  } else if (IsRule(line, ':', 8) || IsRule(line, '-', 8)) {
    const std::string_view second = LineAt(text, first.size());
    const std::string_view third = LineAt(text, first.size() + second.size());
    heading.cut = !last && (second.empty() || third.empty()) && text.size() < 3 * (kLongestName + 16);
    const std::string_view name = WithoutEnd(second);
    const bool more = line.front() == ':';
    if (WithoutEnd(third) != line || name.size() > kLongestName || (more ? name.empty() : !IsHosts(name)))
      return heading;
    heading = {more ? Form::kMore : Form::kHosts, name, first.size() + second.size() + third.size()};
  } else if (std::string_view("=-#*").find(line.front()) != std::string_view::npos) {
    const std::string_view name = NameBetweenMarks(line);
    if (!name.empty()) heading = {Form::kScript, name, first.size()};
  }
  if (heading.name.empty()) heading.form = Form::kNone;
  return heading;
}

// One of the files.
struct Section {
  Section(std::string name, const WitnessContext& context)
      : digest(std::move(name), context.rules, context.kb, context.options, context.answers) {}
  DigestBuilder digest;
  uint64_t lines = 0;  // so far
  std::vector<SourcePart> parts;
};

class HeadedFiles : public Witness {
 public:
  explicit HeadedFiles(const WitnessContext& context) : context_(context) {}

  void Push(std::string_view chunk) override {
    if (whole_ != nullptr) return whole_->Push(chunk);
    text_ += chunk;
    if (!parted_ && !TakesSecondName(false)) {
      if (text_.size() > kHeadedBytes) ReadWhole();
      return;
    }
    parted_ = true;
    Part(false);
  }

  SourceDigest Finish() override {
    std::vector<std::string> problems;
    std::vector<SourceDigest> all = FinishAll(&problems);
    return all.empty() ? SourceDigest() : std::move(all.front());
  }

  std::vector<SourceDigest> FinishAll(std::vector<std::string>* problems) override {
    if (whole_ == nullptr && !parted_ && !TakesSecondName(true)) ReadWhole();
    if (whole_ != nullptr) return whole_->FinishAll(problems);
    Part(true);
    std::vector<SourceDigest> all;
    for (auto& [name, section] : sections_) {
      std::vector<SourceDigest> read = section.digest.FinishAll(problems);
      for (SourceDigest& digest : read) {
        digest.parts = section.parts;
        all.push_back(std::move(digest));
      }
    }
    return all;
  }

 private:
  // Looks at what has come since it was asked the last time.
  bool TakesSecondName(bool last) {
    while (looked_ < text_.size()) {
      const std::string_view rest = std::string_view(text_).substr(looked_);
      const std::string_view line = LineAt(rest, 0);
      const Heading heading = HeadingAt(rest, last);
      if (heading.cut || line.empty()) return false;
      looked_ += line.size();
      if (heading.form == Form::kNone) continue;
      looked_ += heading.size - line.size();
      if (form_ == Form::kNone) {
        form_ = heading.form;
        first_name_ = heading.name;
      } else if (heading.form == form_ && heading.name != first_name_) {
        return true;
      }
    }
    return false;
  }

  void ReadWhole() {
    whole_ = KindOf({}).begin(context_);  // of nothing: the last row, which takes every text
    whole_->Push(text_);
    text_ = {};
  }

  // Hands on all lines that are whole; of the last ones it may not be told yet whether they are a heading.
  void Part(bool last) {
    size_t from = 0, at = 0;  // of what is to be handed on, and of the line
    const auto hand_on = [&] {
      if (at > from) Current().digest.Push(std::string_view(text_).substr(from, at - from));
      from = at;
    };
    while (at < text_.size()) {
      const std::string_view rest = std::string_view(text_).substr(at);
      const std::string_view line = LineAt(rest, 0);
      if (line.empty()) {
        // Longer than a heading: no more of it need be kept.
        if (last || rest.size() > limits::kLineBytes) at = text_.size();
        if (at == text_.size()) Count(last ? 1 : 0);
        break;
      }
      const Heading heading = HeadingAt(rest, last);
      if (heading.cut) break;
      if (heading.form != form_) {
        at += line.size();
        Count(1);
        continue;
      }
      hand_on();
      Open(heading.name);
      at += heading.size;
      line_ += static_cast<uint64_t>(
          std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(heading.size), '\n'));
      from = at;
    }
    hand_on();
    text_.erase(0, from);
  }

  void Count(uint64_t lines) {
    Section& section = Current();
    if (lines > 0 && section.parts.back().line == 0) section.parts.back().line = line_;
    section.lines += lines;
    line_ += lines;
  }

  void Open(std::string_view name) {
    auto it = sections_.find(name);
    if (it == sections_.end() && sections_.size() < kFiles) {
      it = sections_.try_emplace(std::string(name), context_.name + "/" + std::string(name), context_).first;
    }
    if (it != sections_.end()) current_ = &it->second;
    Section& section = Current();
    section.parts.push_back({context_.name, section.lines + 1, 0});
  }

  // What stands in front of the first heading goes by the text's own name.
  Section& Current() {
    if (current_ == nullptr) {
      current_ = &sections_.try_emplace(std::string(), context_.name, context_).first->second;
      current_->parts.push_back({context_.name, 1, 0});
    }
    return *current_;
  }

  const WitnessContext context_;
  std::string text_;  // what was not handed on yet
  size_t looked_ = 0;
  Form form_ = Form::kNone;  // of the first heading; others are text
  std::string first_name_;
  bool parted_ = false;
  std::unique_ptr<Witness> whole_;
  std::map<std::string, Section, std::less<>> sections_;
  Section* current_ = nullptr;
  uint64_t line_ = 1;  // of the text, the next one
};

}  // namespace

bool LooksLikeHeadedFiles(std::string_view first) {
  size_t at = 0;
  for (size_t line = 0; line < kLinesInFront; ++line) {
    if (HeadingAt(first.substr(at), true).form != Form::kNone) return true;
    const size_t size = LineAt(first, at).size();
    if (size == 0) return false;
    at += size;
  }
  return false;
}

std::unique_ptr<Witness> NewHeadedFiles(const WitnessContext& context) {
  return std::make_unique<HeadedFiles>(context);
}

}  // namespace ncclwhy
