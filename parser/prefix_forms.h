// Forms of what stands in front of a line that are told by themselves: by no line before them. OuterPrefixStripper asks
// one after the other. Each takes what it knows from the beginning of the text and notes it in `out`, or does nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/outer_prefix.h"
#include "parser/scan.h"

namespace ncclwhy {

// Time stamps and what collectors put between them and the text.
// `out.only_time` stays true where nothing but a time was taken: such a line has no label.
bool StripTime(std::string_view& text, StrippedLine& out);
// `[inside]` in front of `rest`:
//   [prterun-host-1234@1,3]<stdout>:text   [rank3]: text   [default3]: text
//   [RANK 0] text   [rank: 5] text   [pod/train-worker-3/pytorch] text
bool StripNameBracket(std::string_view inside, std::string_view& rest, StrippedLine& out);
//   [2025-03-01 12:00:00] text   [2025-03-01 12:00:00 TP3] text
//   [Sat Mar  1 12:00:00 2025] text and [131453.740743] text of dmesg
bool StripTimeBracket(std::string_view inside, std::string_view& rest, StrippedLine& out);

// What machines that build and test put there: `##[error]text` of GitHub Actions, `#13 4.991 text` of BuildKit,
// `_bk;t=1749061321249` and BEL of Buildkite, whose copies lose the BEL.
bool StripBuildMark(std::string_view& text, StrippedLine& out);

// Parts of these. `1a2b3c [rank=3] || `
bool StripPlatformLabel(std::string_view& text, OuterPrefix& prefix);
// `<stdout>:`
bool StripStreamTag(scan::Cursor& c, OuterPrefix& prefix);
// A rank that does not fit into 32 bits is none.
void SetRank(OuterPrefix& prefix, uint64_t rank);
// The number that a launcher gives its task: the rank as well, until the program itself says another one.
void SetTask(OuterPrefix& prefix, uint64_t task);
// TP3, `DP1 TP3 EP3` of SGLang; TP1 of vLLM's Worker_TP1
void SetParallelRank(std::string_view words, OuterPrefix& prefix);
// A record that shows its own beginning: `Traceback (most recent call last):`, `[rank3]: text`,
// `[W305 12:42:17.024437460 x.cpp:1250] text`, `W0305 12:42:17.994000 178129 text`, `2026-03-05 12:42:17,994 text`.
// What stands in front of it is no part of it.
bool BeginsRecord(std::string_view text);
// `Jan 20 06:12:40 gpu-a17 nv-fabricmanager[2871]: text` behind `gpu-a17: ` of pdsh: syslog's line of that host.
bool IsSyslogOf(std::string_view host, std::string_view text);
// A whole header with its host.
bool BeginsWithHeader(std::string_view text);
// The same with further prefixes in front of it.
bool HasHeaderSomewhere(std::string_view text);

}  // namespace ncclwhy
