// ParsedLine: one record of the input after prefixes and header were taken off. Views into the reader's buffer: valid
// only inside the LineSink call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "parser/event.h"
#include "parser/line_shape.h"
#include "parser/telling_words.h"

namespace ncclwhy {

// What launchers and collectors put in front: `2025-…Z stdout F [1,3]<stdout>:`. Unknown members are -1 or empty.
struct OuterPrefix {
  int32_t rank = -1;        // [1,3], `3: ` of srun -l, [rank3]:, MPIJob; see facts about traps in parser/README.md
  int32_t local_rank = -1;  // [default3]:
  int32_t task = -1;        // the launcher's own number: under it may stand another rank, `0: [rank1]: text`
  int64_t pid = -1;         // Ray, vLLM
  std::string_view host;    // syslog, Ray's ip=…
  std::string_view pod;     // pod, container, actor or compose service
  std::string_view time;
  std::string_view stream;  // stdout or stderr
  LauncherLabel launcher = LauncherLabel::kNone;
  bool rank_said = false;  // by the program, not by a launcher's label
  bool any = false;
  // Labels of a launcher and nothing else, maybe behind a time: the same bytes say the same in front of every line, but
  // for the digits of the time.
  //    [1,3]<stdout>:text      Mar  1 12:00:00 node3 python3[4711]: text
  bool fixed = false;

  // Whether it says whose the line is, and not only when it was written.
  bool Names() const { return rank >= 0 || local_rank >= 0 || task >= 0 || pid >= 0 || !host.empty() || !pod.empty(); }
};
inline const OuterPrefix kNoPrefix;

// `HOST:PID:TID [DEV] file.cc:NN (function) NCCL WARN ` with everything optional that an era leaves out. Unknown
// numbers are 0 but for the device. Views into the line. Two headers are of one process if host and pid are the same;
// the host may still have something glued to it that ProcessTable takes off.
struct NcclHeader {
  bool present = false;  // host:pid:tid was there
  std::string_view time;
  std::string_view host;
  uint32_t pid = 0;
  uint32_t tid = 0;
  int32_t device = kNoDevice;
  std::string_view file;  // `misc/socket.cc`, or a function or an absolute path
  uint32_t file_line = 0;
  std::string_view function;
  LogLevel level = LogLevel::kNone;
};

// A text and the line it stands in.
struct TextPlace {
  std::string_view text;
  uint64_t offset = 0;  // of the line
  uint32_t number = 0;  // of the line
};

// Made for each record, handed to extractors, recognizer and sink in this order; nothing of it is kept.
//   raw    0: node07:4711:4802 [3] misc/socket.cc:484 NCCL WARN Call to connect failed
//   text   node07:4711:4802 [3] misc/socket.cc:484 NCCL WARN Call to connect failed
//   body   Call to connect failed
struct ParsedLine {
  uint64_t offset = 0;                   // of the input line
  uint32_t number = 0;                   // 1-based
  std::string_view raw;                  // the record as it stands in the line, outer prefix included
  std::string_view text;                 // without the outer prefix, ANSI codes and quoting
  std::string_view body;                 // NCCL: the message behind the header. Others: the same as text
  std::string_view shape;                // of the body (parser/line_shape.h); empty: it has none, or nobody needs it
  std::span<const NumberPlace> numbers;  // of the body, where it has a shape
  OuterPrefix outer;
  NcclHeader header;
  Dialect dialect = Dialect::kUnknown;
  TellingWords words;  // of a text that is not NCCL's
  // Not 0: whatever is asked about the words of its text is no, and lines with the same number differ in their digits
  // alone. Another segment has other numbers.
  uint32_t kind = 0;
  bool torn = false;         // cut, or glued to another record
  bool first_record = true;  // false for records found behind another one in the same input line
};

}  // namespace ncclwhy
