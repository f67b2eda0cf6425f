#include "read/newest_first.h"

#include <algorithm>
#include <optional>

#include "parser/clock.h"

namespace ncclwhy {
namespace {

constexpr size_t kLeast = 5;       // lines that are older than the one before
constexpr size_t kTimesMore = 4;   // than those that are newer
constexpr size_t kAsked = 20'000;  // lines: as many tell
constexpr size_t kUnstamped = 16;  // lines: a text that begins with as many has no stamps
constexpr size_t kClear = 200;     // lines that are newer than the one before, and none is older: it runs forwards

// {"log":"…","time":"2026-11-20T10:00:00Z"}, or a stamp in the first columns
std::optional<Instant> StampOf(std::string_view line) {
  const bool json = line.find("\":") != std::string_view::npos;
  for (const std::string_view key : {"\"timestamp\":", "\"@timestamp\":", "\"time\":", "\"ts\":"}) {
    const size_t at = json ? line.find(key) : std::string_view::npos;
    if (at == std::string_view::npos) continue;
    std::string_view value = line.substr(at + key.size());
    value.remove_prefix(std::min(value.find_first_not_of(" \""), value.size()));
    return InstantOf(value.substr(0, value.find_first_of("\",}")));
  }
  const std::string_view stamp = StampIn(line);
  return stamp.empty() ? std::nullopt : InstantOf(stamp);
}

std::string_view TakeLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

}  // namespace

bool RunsBackwards(std::string_view text) {
  std::optional<Instant> before;
  size_t older = 0, newer = 0;
  for (size_t n = 0; n < kAsked && !text.empty(); ++n) {
    if (n == kUnstamped && !before) return false;
    if (newer == kClear && older == 0) return false;
    const auto stamp = StampOf(TakeLine(&text));
    if (!stamp) continue;
    if (before && before->scale == stamp->scale) {
      older += stamp->seconds < before->seconds ? 1 : 0;
      newer += stamp->seconds > before->seconds ? 1 : 0;
    }
    before = stamp;
  }
  return older >= kLeast && older >= kTimesMore * newer;
}

OldestFirst FromItsEnd(std::string_view text, const std::string& name) {
  struct Record {
    std::string_view text;
    uint64_t line = 0, lines = 0;
  };
  std::vector<Record> records;
  uint64_t number = 0;
  while (!text.empty()) {
    const char* const begin = text.data();
    const std::string_view line = TakeLine(&text);
    ++number;
    if (!records.empty() && !StampOf(line)) {
      Record& last = records.back();
      last.text = {last.text.data(), static_cast<size_t>(line.data() + line.size() - last.text.data())};
      ++last.lines;
      continue;
    }
    records.push_back({{begin, line.size()}, number, 1});
  }
  OldestFirst out;
  uint64_t written = 1;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const bool single = record->lines == 1;
    const bool goes_on = single && !out.parts.empty() && out.parts.back().backwards;
    if (!goes_on) out.parts.push_back({name, written, record->line, single});
    out.text.append(record->text).push_back('\n');
    written += record->lines;
  }
  return out;
}

}  // namespace ncclwhy
