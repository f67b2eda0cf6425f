#include "base/logger_prefix.h"

#include <algorithm>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kDigits = "0123456789";
// What stands before a level in brackets: time, name of the logger.
constexpr size_t kFrontColumns = 80;

// Where a message begins: E1122 11:12:03.206394, 2026-11-22 11:12:03. In a mask 9 is a digit, A the letter of a level.
bool BeginsMessage(std::string_view text) {
  const auto fits = [](char mask, char c) {
    if (mask == '9') return IsDigit(c);
    return mask == 'A' ? c == 'E' || c == 'W' || c == 'I' || c == 'F' : mask == c;
  };
  for (const std::string_view mask : {"A9999 99:99:99", "9999-99-99 99:99:99", "9999-99-99T99:99:99"}) {
    if (text.size() >= mask.size() && std::equal(mask.begin(), mask.end(), text.begin(), fits)) return true;
  }
  return false;
}

// A word before the message of a logger: 2026-11-22, 11:12:03.206394:, E, external/xla/client.cc:441], train.py:212
bool IsLoggerWord(std::string_view word) {
  constexpr std::string_view kLevels[] = {"E",    "W",        "I",      "F",      "ERROR",     "WARNING", "WARN",
                                          "INFO", "CRITICAL", "ERROR:", "FATAL:", "CRITICAL:", "|",       "-"};
  if (std::find(std::begin(kLevels), std::end(kLevels), word) != std::end(kLevels)) return true;
  // What has no digit is a word of the message from here on: "Connection closed".
  if (word.find_first_of(kDigits) == std::string_view::npos) return false;
  const bool glog = word.size() == 5 && std::string_view("EWIF").find(word[0]) != std::string_view::npos;  // E1122
  if (glog && word.find_first_not_of(kDigits, 1) == std::string_view::npos) return true;
  if (word.find_first_not_of("0123456789:.,-/+TZ[]") == std::string_view::npos) return word.size() > 4;
  const size_t colon = word.rfind(".py:");
  return word.ends_with(']') ||
         (colon != std::string_view::npos && word.find_first_not_of(kDigits, colon + 4) == std::string_view::npos);
}

// The pid of `W1126 07:14:41.512000 5269 torch/distributed/run.py:1012] text`: a number right before a place.
bool IsPidBeforePlace(std::string_view text, size_t end) {
  if (end == 0 || text.substr(0, end).find_first_not_of(kDigits) != std::string_view::npos) return false;
  const size_t next = text.find_first_not_of(' ', end);
  const size_t after = text.find(' ', next);
  return next != std::string_view::npos && after != std::string_view::npos && text[after - 1] == ']' &&
         IsLoggerWord(text.substr(next, after - next));
}

// [2026-11-22 11:12:03,206][watchdog][ERROR] - no progress
void DropBracketedLevel(std::string_view* text) {
  for (const std::string_view level : {"[ERROR]", "[WARNING]", "[WARN]", "[INFO]", "[CRITICAL]"}) {
    const size_t at = text->substr(0, kFrontColumns).find(level);
    if (at == std::string_view::npos || !text->starts_with('[') || (at > 0 && (*text)[at - 1] != ']')) continue;
    text->remove_prefix(at + level.size());
    return text->remove_prefix(std::min(text->find_first_not_of(' '), text->size()));
  }
}

// Several in a row: [rank3][2026-11-22 11:12:03] text. A bracket without a digit may be the message's own.
void DropBrackets(std::string_view* text) {
  while (text->starts_with('[')) {
    const size_t close = text->find(']');
    if (close == std::string_view::npos || text->substr(0, close).find_first_of(kDigits) == std::string_view::npos) {
      return;
    }
    text->remove_prefix(std::min(close + 1, text->size()));
    text->remove_prefix(std::min(text->find_first_not_of(' '), text->size()));
  }
}

// The message of a line that is an object; empty when it is none.
// Not parsed: such a line may be cut at the end of what was kept of it, and what is shown may hold its escapes. An
// escaped quote does not end the value:
//    {"level": "ERROR", "msg": "rank 3: key \"ncclUniqueId\" was never set"}
std::string_view MessageOfObject(std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return {};
  for (const std::string_view key : {"\"msg\": \"", "\"message\": \"", "\"msg\":\"", "\"message\":\""}) {
    const size_t at = text.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = text.substr(at + key.size());
    size_t end = 0;
    while (end < value.size() && value[end] != '"') end += value[end] == '\\' ? 2 : 1;
    return value.substr(0, std::min(end, value.size()));
  }
  return {};
}

// Where words begin right behind the last value of a bar, 0 where none do. A unit (ms/step) is followed by no blank.
//   - loss: 0.9230 - accuracy: 0.3287terminate called after throwing an instance of
size_t WordsBehindFraction(std::string_view text) {
  constexpr size_t kShortest = 4;  // no unit is so long
  for (size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    const size_t letters = std::min(text.find_first_not_of(kDigits, at + 1), text.size());
    size_t end = letters;
    while (end < text.size() && IsAlpha(text[end])) ++end;
    const bool fraction = at > 0 && IsDigit(text[at - 1]) && letters > at + 1;
    if (fraction && end >= letters + kShortest && end < text.size() && (text[end] == ' ' || text[end] == ':')) {
      return letters;
    }
  }
  return 0;
}

}  // namespace

bool AsksForTime(std::string_view front) {
  constexpr std::string_view kWords[] = {" AT ", " at ", " on ", " since ", " until ", " from ", " before ", " after "};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](auto word) { return front.ends_with(word); });
}

// `s/step` is in `ms/step`.
bool HasProgressBar(std::string_view text) {
  constexpr std::string_view kBars[] = {"ETA:", "%|", "it/s", "s/it", "s/step"};
  return std::any_of(std::begin(kBars), std::end(kBars),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::string_view WithoutProgressBar(std::string_view text) {
  if (!HasProgressBar(text)) return text;  // nearly all
  // From the end: of several messages that a bar without line ends has glued together the last one is the line's.
  for (size_t at = text.size(); at-- > 1;) {
    // slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-01-28T15:04:48 ***
    if (!BeginsMessage(text.substr(at)) || AsksForTime(text.substr(0, at))) continue;
    return HasProgressBar(text.substr(0, at)) ? text.substr(at) : text;
  }
  // Words without a logger behind it: 41/2000 [00:06<04:55, 6.66it/s, loss=5.094]job.sh: caught SIGTERM
  const size_t rate = std::max(text.rfind("it/s") + 1, text.rfind("s/it") + 1);  // 0: not there
  const size_t close = rate == 0 ? std::string_view::npos : text.find(']', rate);
  const bool words = close != std::string_view::npos && close + 1 < text.size() && IsAlpha(text[close + 1]);
  if (words) return text.substr(close + 1);
  const size_t glued = WordsBehindFraction(text);
  return HasProgressBar(text.substr(0, glued)) ? text.substr(glued) : text;
}

std::string_view WithoutLoggerPrefix(std::string_view text) {
  text = WithoutProgressBar(text);
  if (const std::string_view message = MessageOfObject(text); !message.empty()) return message;
  const std::string_view whole = text;
  DropBracketedLevel(&text);
  DropBrackets(&text);
  // loguru: `time | LEVEL | module:function:line - message`. Both within the first columns, as a message may have bars
  // and dashes of its own.
  if (const size_t bar = text.rfind(" | ", 60); bar != std::string_view::npos) {
    const size_t dash = text.find(" - ", bar);
    if (dash != std::string_view::npos && dash < bar + 60) text.remove_prefix(dash + 3);
  }
  for (size_t end; (end = text.find(' ')) != std::string_view::npos &&
                   (IsLoggerWord(text.substr(0, end)) || IsPidBeforePlace(text, end));) {
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  DropBrackets(&text);
  return text.empty() ? whole : text;
}

std::string MessageOfLine(std::string_view text) {
  const std::string_view message = WithoutLoggerPrefix(text);
  const std::string_view front = text.substr(0, static_cast<size_t>(message.data() - text.data()));
  const size_t rank = std::max(front.rfind("Rank ") + 1, front.rfind("rank ") + 1);  // 0: not there
  const size_t end = rank == 0 ? front.size() : front.find_first_not_of(kDigits, rank + 4);
  if (rank == 0 || end == rank + 4) return std::string(message);
  return "[" + std::string(front.substr(rank - 1, end - rank + 1)) + "] " + std::string(message);
}

}  // namespace ncclwhy
