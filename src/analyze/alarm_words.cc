#include "analyze/alarm_words.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace ncclwhy {
namespace {

struct AlarmWord {
  std::string_view word;
  int alarm;
};

// How a reader takes a line, not what it means: 3 ends a search, 1 may stand in any healthy log. Parts of words, in
// lower case: "terminat" is in terminated and terminating.
constexpr AlarmWord kWords[] = {
    {"segmentation fault", 3},
    {"core dumped", 3},
    {"out of memory", 3},
    {"killed", 3},
    {"cancelled", 3},
    {"fatal", 3},
    {"traceback", 3},
    {"panic", 3},
    {"corrupt", 3},
    {"uncorrectable", 3},
    {"bus error", 3},
    {"sigkill", 3},
    {"error", 2},
    {"exception", 2},
    {"abort", 2},
    {"timed out", 2},
    {"timeout", 2},
    {"watchdog", 2},
    {"refused", 2},
    {"denied", 2},
    {"unreachable", 2},
    {"assert", 2},
    {"reset by peer", 2},
    {"crash", 2},
    {"overflow", 2},
    {"terminat", 2},
    {"closed", 1},
    {"fail", 1},
    {"could not", 1},
    {"cannot", 1},
    {"unable", 1},
    {"invalid", 1},
    {"not found", 1},
    {"no device", 1},
    {"missing", 1},
    {"unexpected", 1},
};

}  // namespace

int AlarmOf(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = IsUpper(c) ? static_cast<char>(c | 0x20) : c;
  int alarm = 0;
  for (const AlarmWord& each : kWords) {
    // Only a louder word is searched for.
    if (each.alarm > alarm && lower.find(each.word) != std::string::npos) alarm = each.alarm;
  }
  return alarm;
}

}  // namespace ncclwhy
