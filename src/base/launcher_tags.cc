#include "base/launcher_tags.h"

#include <initializer_list>

#include "base/text.h"

namespace ncclwhy {
namespace {

// Sun Nov 22 11:10:31 2026
constexpr std::string_view kTime = "Aaa Aaa nd dd:dd:dd dddd";

bool IsTime(std::string_view text) {
  if (text.size() != kTime.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char form = kTime[i];
    const bool fits = form == 'A'   ? IsUpper(text[i])
                      : form == 'a' ? IsLower(text[i])
                      : form == 'd' ? IsDigit(text[i])
                      : form == 'n' ? IsDigit(text[i]) || text[i] == ' '
                                    : text[i] == form;
    if (!fits) return false;
  }
  return true;
}

// Where the tag begins that `<std` at `angle` belongs to, with its time; npos when it is none.
// The rank may be alone or with the job in front of it: `[3]<stderr>:`, `[1,3]<stderr>:`. What is not digits and commas
// is somebody's array: `values[i]<std…`.
size_t BeginOfTag(std::string_view text, size_t angle) {
  if (angle == 0 || text[angle - 1] != ']') return std::string_view::npos;
  size_t begin = angle - 1;
  while (begin > 0 && (IsDigit(text[begin - 1]) || text[begin - 1] == ',')) --begin;
  if (begin == 0 || begin == angle - 1 || text[begin - 1] != '[') return std::string_view::npos;
  --begin;
  if (begin >= kTime.size() && IsTime(text.substr(begin - kTime.size(), kTime.size()))) begin -= kTime.size();
  return begin;
}

}  // namespace

bool DropLauncherTags(std::string* text) {
  constexpr std::string_view kStream = "<std";
  std::string out;
  size_t kept = 0;
  // Every `<std` of the text is a candidate; `<stdio.h>` is none.
  for (size_t at = text->find(kStream); at != std::string::npos; at = text->find(kStream, at + 1)) {
    size_t end = std::string::npos;
    for (const std::string_view tail : {"<stdout>:", "<stderr>:", "<stddiag>:"}) {
      if (std::string_view(*text).substr(at).starts_with(tail)) end = at + tail.size();
    }
    if (end == std::string::npos) continue;
    const size_t begin = BeginOfTag(*text, at);
    if (begin == std::string_view::npos || begin < kept) continue;
    out.append(*text, kept, begin - kept);
    kept = end;
  }
  if (kept == 0) return false;
  out.append(*text, kept);
  *text = std::move(out);
  return true;
}

}  // namespace ncclwhy
