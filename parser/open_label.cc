#include "parser/open_label.h"

#include "parser/prefix_forms.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::Cursor;
using scan::IsAlnum;

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

// The rank that a name tells: log.r3, rank_3.err; -1 where it tells none.
int32_t RankOfName(std::string_view name) {
  name = name.substr(name.find_last_of('/') + 1);
  for (const std::string_view word : {"rank", "r"}) {
    // `r` alone is asked last: it is in nearly every name, and counts only where no letter or digit stands in front.
    for (size_t at = scan::Find(name, word); at != std::string_view::npos; at = scan::Find(name, word, at + 1)) {
      // `worker3` and `iter2` have an r in the middle of a word.
      if (at > 0 && IsAlnum(name[at - 1])) continue;
      Cursor c(name.substr(at + word.size()));
      if (word.size() > 1 && !c.Char('_') && !c.Char('-')) c.Char('.');
      uint64_t rank = 0;
      if (c.Uint(&rank) && rank < INT32_MAX && !IsAlnum(c.Peek())) return static_cast<int32_t>(rank);
    }
  }
  return -1;
}

}  // namespace

bool OpenLabel::TakeHeading(std::string_view text) {
  // Asked of every line without a label: the first byte decides nearly always.
  if (text.size() < 8 || (text[0] != '=' && text[0] != '-')) return false;
  Cursor c(text);
  // `==> logs/rank_3.err <==`: what tail prints in front of each of several files. A name without a rank ends the
  // block.
  if (c.Literal("==> ")) {
    if (!scan::EndsWith(text, " <==")) return false;
    block_rank_ = RankOfName(c.Rest().substr(0, c.Rest().size() - 4));
    return true;
  }
  while (c.Char('-')) {
  }
  c.SkipSpaces();
  const bool begins = c.Literal("Begin ");
  if ((!begins && !c.Literal("End ")) || !scan::EndsWith(text, "--")) return false;
  // torchrun's summaries say `global rank`, other tools `rank`.
  c.Literal("global ");
  uint64_t rank = 0;
  if (!c.Literal("rank ") || !c.Uint(&rank) || rank >= INT32_MAX) return false;
  // End closes the block, whichever rank it names: blocks are not nested.
  block_rank_ = begins ? static_cast<int32_t>(rank) : -1;
  return true;
}

// The label is copied: views of a line die with it.
void OpenLabel::Open(uint32_t number, const OuterPrefix& prefix) {
  traceback_ = true;
  between_ = false;
  latest_ = number;
  host_.assign(prefix.host);
  pod_.assign(prefix.pod);
  label_ = prefix;
  label_.host = host_;
  label_.pod = pod_;
  label_.time = label_.stream = {};
}

// Its rank, host and pod; the time is the line's own.
void OpenLabel::Lend(const OuterPrefix& prefix, StrippedLine* line) const {
  const std::string_view time = line->prefix.time;
  line->prefix = prefix;
  line->prefix.time = time;
  line->prefix.any = true;
  line->prefix.fixed = false;
  line->only_time = false;
}

void OpenLabel::Apply(uint32_t number, StrippedLine* line) {
  const std::string_view text = line->text;
  const bool labelled = line->prefix.any && !line->only_time;
  // A line with a label of its own needs none, and ends what was open: who prints now is another one, or says so.
  if (labelled) {
    traceback_ = false;
    // A bare `Traceback …` opens nothing: it has no label to lend. Behind a label it begins a text of several lines.
    if (scan::EndsWith(text, kTraceback) && text.size() > kTraceback.size()) Open(number, line->prefix);
    return;
  }
  if (TakeHeading(text)) {
    traceback_ = false;
    return;
  }
  // The next line at once, or up to three further on where chained exceptions have blank lines and a sentence between
  // them.
  if (traceback_ && !text.empty()) {
    const bool chained = scan::StartsWith(text, "During handling of the above exception") ||
                         scan::StartsWith(text, "The above exception was the direct cause");
    const bool goes_on = number <= latest_ + (between_ ? 3 : 1) &&
                         (scan::IsSpace(text[0]) || !between_ || chained || scan::StartsWith(text, kTraceback));
    if (goes_on) {
      // The first line that is not indented tells the exception.
      between_ = !scan::IsSpace(text[0]) && !scan::StartsWith(text, kTraceback);
      latest_ = number;
      Lend(label_, line);
      return;
    }
    traceback_ = false;
  }
  // Of a block: less sure than a label in the line, so it is asked last.
  if (block_rank_ < 0) return;
  OuterPrefix of_block;
  SetRank(of_block, static_cast<uint64_t>(block_rank_));
  Lend(of_block, line);
}

}  // namespace ncclwhy
