// What terminals, web pages and container runtimes do to the text of a line, undone.
//
// Each function returns the text itself when there is nothing to undo, else a view into `scratch`, which is replaced.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// False when no ESC, no [0m and no & is there: neither StripAnsi nor DecodeEntities has anything to undo. One look
// instead of three searches.
bool MayNeedCleaning(std::string_view text);

// ESC [ … letter, ESC ] … BEL, and the same with the ESC lost in pasting: `[36m(RayWorker pid=1)[0m`.
std::string_view StripAnsi(std::string_view text, std::string& scratch);

// &lt; &gt; &amp; &quot; &#39; &#x27; &nbsp; of a web page that was saved, or copied from its source:
//   mlx5_0:1 Got completion from peer 10.0.0.7&lt;51264&gt; with error 12
std::string_view DecodeEntities(std::string_view text, std::string& scratch);

// One JSON object per line, as container runtimes and shippers write it. Views into the line or into `scratch`.
//   {"log":"node07:4711:4802 [3] NCCL WARN …\n","stream":"stderr","time":"2025-03-01T12:00:00.123456789Z"}
struct JsonLog {
  std::string_view text;  // the value of "log", "message" or "textPayload", unescaped, without its final newline
  std::string_view time;  // as it stands there; empty like the others where the object has no such member
  std::string_view stream;
  std::string_view pod;
  std::string_view host;
};
// False when `text` is no such object; of a program's own record the time is told nevertheless.
//   {"ts": 1795345798.551, "level": "ERROR", "rank": 0, "msg": "rank 0: step watchdog: …"}
bool ParseJsonLog(std::string_view text, std::string& scratch, JsonLog* out);

// By the rules of base/utf8.h: no overlong forms, no surrogates. Plain ASCII is told fast.
bool IsValidUtf8(std::string_view text);
// At least four control bytes, and more than one of eight bytes; tabs, escapes and what moves a cursor are none. Such
// a line is counted as damaged unless NCCL's header is in it: that may still be read.
bool LooksBinary(std::string_view text);

}  // namespace ncclwhy
