#include "parser/pulse_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ncclwhy {
namespace {

#define NO_WORK(text)
#define PREPARES(text)
#define WAITS(text)
#define NAMES(word)
#define COUNTS(word, one, many, zh) {word, one, many, zh},
constexpr WorkUnit kUnits[] = {
#include "parser/pulse_words.def"
};
#undef WAITS
#undef COUNTS
#define WAITS(text) text,
#define COUNTS(word, one, many, zh)
constexpr std::string_view kWaits[] = {
#include "parser/pulse_words.def"
};
#undef PREPARES
#undef WAITS
#define PREPARES(text) text,
#define WAITS(text)
constexpr std::string_view kPrepares[] = {
#include "parser/pulse_words.def"
};
#undef NO_WORK
#undef PREPARES
#undef WAITS
#undef NAMES
#undef COUNTS

bool Same(std::string_view word, std::string_view lower) {
  const auto equal = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b); };
  return word.size() == lower.size() && std::equal(lower.begin(), lower.end(), word.begin(), equal);
}

// `barrier pending 600s`: a line of somebody who waits, or of whom a monitor says so. By words anywhere in it.
bool SaysWaiting(std::string_view line) {
  return std::any_of(std::begin(kWaits), std::end(kWaits),
                     [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr double kMinute = 60, kHour = 60 * kMinute;
constexpr std::pair<std::string_view, double> kTimes[] = {
    {"s", 1},         {"sec", 1},        {"secs", 1},         {"second", 1},        {"seconds", 1},
    {"min", kMinute}, {"mins", kMinute}, {"minute", kMinute}, {"minutes", kMinute}, {"hour", kHour},
    {"hours", kHour}, {"秒", 1},         {"分钟", kMinute},   {"小时", kHour}};

// What stands right behind a number, or one blank.
std::string_view WordBehindNumber(std::string_view behind) {
  if (behind.starts_with(' ')) behind.remove_prefix(1);
  return behind.substr(0, behind.find_first_of(" ,;:.)]"));
}

const std::pair<std::string_view, double>* TimeOf(std::string_view word) {
  return std::find_if(std::begin(kTimes), std::end(kTimes), [&](const auto& t) { return t.first == word; });
}

}  // namespace

// A few dozen words: asked once for a layout, not for each line.
const WorkUnit* WorkUnitOf(std::string_view word) {
  const auto* it =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const WorkUnit& u) { return Same(word, u.word); });
  return it == std::end(kUnits) ? nullptr : it;
}

const WorkUnit* WorkUnitOfTotal(std::string_view word) {
  // `max_steps`, `total_epochs`, `num_train_steps` of the Transformers' Trainer.
  for (const std::string_view kind : {"max_", "total_", "num_", "train_", "num_train_"}) {
    if (word.size() > kind.size() && Same(word.substr(0, kind.size()), kind)) {
      if (const WorkUnit* unit = WorkUnitOf(word.substr(kind.size()))) return unit;
    }
  }
  return nullptr;
}

uint8_t NumberOf(const WorkUnit* unit) {
  static_assert(std::size(kUnits) < UINT8_MAX);
  return unit == nullptr ? uint8_t{0} : static_cast<uint8_t>(unit - kUnits + 1);
}
const WorkUnit* WorkUnitNumbered(uint8_t number) { return number == 0 ? nullptr : &kUnits[number - 1]; }

bool MayBeTime(std::string_view behind) {
  const std::string_view word = WordBehindNumber(behind);
  return TimeOf(word) != std::end(kTimes) ||
         std::any_of(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool PreparesWork(std::string_view line) {
  return std::any_of(std::begin(kPrepares), std::end(kPrepares), [&](std::string_view word) {
    const auto equal = [](char a, char b) { return Lower(a) == b; };
    return std::search(line.begin(), line.end(), word.begin(), word.end(), equal) != line.end();
  });
}

double SecondsBehind(std::string_view behind, std::string_view line, bool complains) {
  const std::string_view word = WordBehindNumber(behind);
  const auto* const time = TimeOf(word);
  if (time == std::end(kTimes)) return 0;
  // Most lines tell no time: their words are looked through only where one does.
  const size_t after = static_cast<size_t>(word.data() - behind.data()) + word.size();
  const bool waits = complains || behind.substr(after).starts_with(" ago") || SaysWaiting(line);
  return waits ? time->second : 0;
}

}  // namespace ncclwhy
