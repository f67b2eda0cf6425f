#include "read/lost_headers.h"

#include <algorithm>
#include <array>

#include "parser/dialect.h"
#include "parser/outer_prefix.h"
#include "parser/prefix.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// Letters of a format outside its conversions. "%s: %d" is printed by everybody.
constexpr std::ptrdiff_t kLeastLetters = 10;

bool IsSpecific(std::string_view format) {
  std::ptrdiff_t letters = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%') {
      while (i + 1 < format.size() && !scan::IsAlpha(format[i])) ++i;
      while (i + 1 < format.size() && (format[i] == 'l' || format[i] == 'z')) ++i;
    } else {
      letters += scan::IsAlpha(format[i]) ? 1 : 0;
    }
  }
  return letters >= kLeastLetters;
}

// `transport/nvls.cc:394 -> 1`
bool IsResultTrace(std::string_view text) {
  const size_t arrow = text.find(" -> ");
  return arrow != std::string_view::npos && scan::Contains(text.substr(0, arrow), ".cc:") &&
         text.substr(0, arrow).find(' ') == std::string_view::npos;
}

std::string_view LostHeader(std::string_view text, const KnowledgeBase& kb) {
  HeaderMatch match;
  // A line that somebody else is known to have written is his.
  if (ParseHeader(text, &match) || ParseHeaderless(text, &match) || SniffDialect(text) != Dialect::kUnknown) return {};
  if (IsResultTrace(text)) return "NCCL INFO ";
  for (const LogLevel level : {LogLevel::kWarn, LogLevel::kInfo}) {
    const int message = kb.Recognize(level, text);
    if (message < 0) continue;
    if (!IsSpecific(kb.Message(message, {}, Language::kEnglish).format)) continue;
    return level == LogLevel::kWarn ? "NCCL WARN " : "NCCL INFO ";
  }
  return {};
}

}  // namespace

std::string WithHeaders(std::string_view text, const KnowledgeBase& kb) {
  std::string out;
  bool any = false;
  bool quoted = false;  // behind `Last error:` PyTorch quotes NCCL, which parser/quoted_message.h knows
  OuterPrefixStripper stripper;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::string_view inside = stripper.Strip(line).text;
    // A decoded text stands nowhere in the line.
    const bool part = inside.data() >= line.data() && inside.data() + inside.size() <= line.data() + line.size();
    const std::string_view header = part && !inside.empty() && !quoted ? LostHeader(inside, kb) : std::string_view();
    const size_t at = header.empty() ? 0 : static_cast<size_t>(inside.data() - line.data());
    quoted = scan::EndsWith(scan::Trim(inside), "Last error:");
    out += line.substr(0, at);
    out += header;
    out += line.substr(at);
    any = any || !header.empty();
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return any ? out : std::string();
}

}  // namespace ncclwhy
