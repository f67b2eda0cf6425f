#include "parser/name_files.h"

#include <algorithm>
#include <vector>

#include "parser/prefix.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// `transport/nvls.cc:394` of `transport/nvls.cc:394 -> 1`, `group.cc:65 -> 5 [Async thread]`; empty for other texts.
std::string_view TracedPlace(std::string_view body) {
  scan::Cursor c(body);
  const std::string_view file = c.Until(": \t");
  uint64_t line = 0, result = 0;
  // NCCL's own files only. A program may print `train.py:12 -> 3` as well, in no line with NCCL's header.
  if (!scan::EndsWith(file, ".cc") && !scan::EndsWith(file, ".cu") && !scan::EndsWith(file, ".h")) return {};
  if (!c.Char(':') || !c.Uint(&line)) return {};
  const std::string_view place = body.substr(0, static_cast<size_t>(c.position() - body.data()));
  return c.Literal(" -> ") && c.Uint(&result) ? place : std::string_view();
}

}  // namespace

// The trace of a result that follows a warning begins where the warning was printed, or in the function that called it.
std::string NameFiles(std::string_view text) {
  // Nothing to name without a warning: the text is not even split.
  if (!scan::Contains(text, "WARN")) return {};
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string out;
  bool any = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto header_of = [&](std::string_view line) {
      HeaderMatch match;
      if (!ParseHeader(line, &match)) match = {};
      return match;
    };
    std::string_view place;
    // Only in the very next line: another rank's trace may stand further down.
    if (i + 1 < lines.size() && scan::Contains(lines[i + 1], " -> "))
      place = TracedPlace(lines[i + 1].substr(header_of(lines[i + 1]).body));
    const HeaderMatch own = place.empty() ? HeaderMatch() : header_of(lines[i]);
    // The header says it already: `node3:4711:4790 [2] misc/socket.cc:484 NCCL WARN …`.
    if (!own.header.file.empty()) place = {};
    const bool warns = own.body > 0 && own.header.level == LogLevel::kWarn;
    // A trace that is itself a warning is the end of another chain, and tells nothing of this line.
    if (place.empty() || !warns || !TracedPlace(lines[i].substr(own.body)).empty()) {
      out += lines[i];
    } else {
      // `node3:4711:4790 [2] NCCL WARN text`: in front of NCCL
      const size_t at = lines[i].substr(0, own.body).rfind("NCCL");
      if (at == std::string_view::npos) return {};
      out += lines[i].substr(0, at);
      out += place;
      out += ' ';
      out += lines[i].substr(at);
      any = true;
    }
    if (i + 1 < lines.size()) out += '\n';
  }
  return any ? out : std::string();
}

}  // namespace ncclwhy
