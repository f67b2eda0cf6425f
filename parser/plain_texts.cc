#include "parser/plain_texts.h"

#include "parser/prefix.h"
#include "parser/scan.h"

namespace ncclwhy {

// Asked once for a kind of text, so it need not be fast; but it must not say yes where a digit could change the answer.
bool PlainTexts::StaysPlain(std::string_view text, TellingWords words) {
  if (words.Any() || HostOfCutHeader(text) > 0) return false;
  // Digits do not change which letters stand there: what is asked below is whether other digits could make a header or
  // a record of PyTorch, at any place in the line.
  // `node3:4711:4790 [2] INFO NET : …`, `WARN src/core.cu:225 …`: without NCCL's name a level is needed.
  const bool level = scan::Contains(text, "INFO") || scan::Contains(text, "WARN");
  if (level && (MayBeginWithHeader(text) || text[0] == 'I' || text[0] == 'W')) return false;
  // [rank3]: or [E1205 04:35:53.584483882 ProcessGroupNCCL.cpp:607]
  for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::string_view inside = text.substr(at + 1);
    if (scan::StartsWith(inside, "rank")) return false;
    const bool severity = !inside.empty() && std::string_view("EWIF").find(inside[0]) != std::string_view::npos;
    if (severity && inside.size() > 1 && (inside[1] == ' ' || scan::IsDigit(inside[1]))) return false;
  }
  return true;
}

}  // namespace ncclwhy
