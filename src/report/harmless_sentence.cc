#include "report/harmless_sentence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/logger_prefix.h"
#include "base/utf8.h"
#include "report/phrases.h"
#include "report/proof.h"

namespace ncclwhy {
namespace {

constexpr int32_t kTakenForIt = 2;  // alarm of a line that a reader would take for the failure
constexpr size_t kColumns = 60;     // of the line, and of its reason

// Whether a warning tells of the line.
bool IsWarned(const Report& report, const HarmlessLine& item) {
  return std::any_of(report.warnings.begin(), report.warnings.end(), [&](const Warning& warning) {
    return std::any_of(warning.evidence.begin(), warning.evidence.end(),
                       [&](const Evidence& e) { return e.file == item.file && e.line == item.line; });
  });
}

// The first clause of it, when it is short.
std::string Reason(const std::string& why) {
  // Up to the first stop of a sentence, in either language.
  const std::string clause = why.substr(0, std::min(why.find_first_of(".;:"), why.find("\xE3\x80\x82")));  // 。
  return DisplayWidth(clause) <= kColumns ? clause : std::string();
}

// "3: " of srun -l, in front of a logger's own prefix.
std::string_view WithoutLabel(std::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const bool label = digits != std::string_view::npos && digits > 0 && text.substr(digits).starts_with(": ");
  return label ? text.substr(digits + 2) : text;
}

std::string Told(const Report& report, const HarmlessLine& item, const Words& words) {
  std::string text = EscapeTerminal(WithoutLoggerPrefix(std::string(WithoutLabel(item.text))));
  std::string_view head = PrefixOfWidth(text, kColumns);
  if (head.size() < text.size()) {
    // Between words, where that does not cost much.
    // A word in two halves reads worse than a shorter line; three quarters must be left.
    const size_t blank = head.rfind(' ');
    if (blank != std::string_view::npos && blank * 4 > head.size() * 3) head = head.substr(0, blank);
    text = std::string(head) + "\xE2\x80\xA6";  // …
  }
  const std::string place = PlaceInLine(report, item.file, item.line);
  const std::string reason = Reason(item.why);
  return fmt::format("{} ({})", text, reason.empty() ? place : Filled(words.label, place) + reason);
}

}  // namespace

std::string HarmlessSentence(const Report& report, const Words& words, size_t most, bool well, bool quote) {
  std::string out;
  size_t told = 0;
  for (const HarmlessLine& item : report.harmless) {
    if (told == most) break;
    // Of a job that went well only what it got over, and no warning has told.
    if (well && (!item.got_over || IsWarned(report, item))) continue;
    // One line at most: then only one that would really mislead.
    if (item.alarm < kTakenForIt && (most == 1 || (item.alarm == 0 && !quote))) continue;
    ++told;
    if (!out.empty()) out += words.list_separator;
    out += Told(report, item, words);
  }
  return out;
}

}  // namespace ncclwhy
