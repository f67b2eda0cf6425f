#include "parser/prefix.h"

#include <algorithm>

#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

using scan::Cursor;
using scan::IsDigit;
// HOST_NAME_MAX of Linux.
constexpr size_t kMaxHost = 64;

// `INFO ` → its level. The blank behind the word is needed, except at the end of the text.
LogLevel TakeLevel(Cursor& c) {
  Cursor probe = c;
  LogLevel level = LogLevel::kNone;
  switch (c.Peek()) {
    case 'I':
      if (probe.Literal("INFO")) level = LogLevel::kInfo;
      break;
    case 'W':
      // Each level has a first letter of its own, so one comparison refuses most texts.
      if (probe.Literal("WARN")) level = LogLevel::kWarn;
      break;
    case 'C':
      if (probe.Literal("CALL")) level = LogLevel::kCall;
      break;
    case 'T':
      if (probe.Literal("TRACE")) level = LogLevel::kTrace;
      break;
    case 'D':
      if (probe.Literal("DIAG")) level = LogLevel::kDiag;
      break;
    case 'A':
      if (probe.Literal("ABORT")) level = LogLevel::kAbort;
      break;
    case 'V':
      if (probe.Literal("VERSION")) level = LogLevel::kVersion;
      break;
    default:
      break;
  }
  // `NCCL INFO` at the end of a cut line is a header without a message.
  if (level == LogLevel::kNone || !(probe.AtEnd() || probe.Char(' '))) return LogLevel::kNone;
  c = probe;
  return level;
}

// `[0] `, `[-1] `, `[2117160976] `: garbage in here is a known defect of NCCL before 2.23.
bool TakeDevice(Cursor& c, int32_t* device) {
  Cursor probe = c;
  int64_t v = 0;
  if (!probe.Char('[') || !probe.Int(&v) || !probe.Literal("] ")) return false;
  // Shown as no device rather than as a number that nobody has: `[2117160976] ` is an uninitialised int.
  *device = v > INT32_MAX || v <= INT32_MIN ? kNoDevice : static_cast<int32_t>(v);
  c = probe;
  return true;
}

// `misc/socket.cc:484 `, `nccl_net_ofi_init:1396 `, `/abs/olute/init.cc:1954 `. The name has no blank and no colon.
bool TakeFile(Cursor& c, NcclHeader& h) {
  Cursor probe = c;
  const std::string_view name = probe.Until(": \t");
  uint32_t line = 0;
  // A digit in front would be a clock or a pid, brackets a device or a function: `[2] `, `(ncclMemAlloc) `.
  if (name.empty() || name.size() > 300 || IsDigit(name[0]) || name[0] == '[' || name[0] == '(') return false;
  if (!probe.Char(':') || !probe.Uint32(&line) || !probe.Char(' ')) return false;
  h.file = name;
  h.file_line = line;
  c = probe;
  return true;
}

// Plug-ins in C++ say which function speaks by all of its signature; the word NCCL must stand behind it:
//   int nccl_net_ofi_rdma_ep_t::process_cq_rails():1381 NCCL WARN NET/OFI …
bool TakeSignature(Cursor& c, NcclHeader& h) {
  constexpr size_t kLongest = 400;
  const std::string_view text = c.Rest().substr(0, kLongest);
  if (text.empty() || !scan::IsAlpha(text[0])) return false;
  const size_t end = scan::Find(text, " NCCL ");
  const size_t colon = end == std::string_view::npos ? end : text.substr(0, end).rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  Cursor number(text.substr(colon + 1));
  uint32_t line = 0;
  if (!number.Uint32(&line) || !number.Char(' ')) return false;
  h.file = text.substr(0, colon);
  h.file_line = line;
  c.Skip(end + 1);
  return true;
}

// `(ncclCommInitRank) ` of 2.30.7
bool TakeFunction(Cursor& c, NcclHeader& h) {
  Cursor probe = c;
  if (!probe.Char('(')) return false;
  const std::string_view name = probe.Until(") ");
  if (name.empty() || !probe.Literal(") ")) return false;
  h.function = name;
  c = probe;
  return true;
}

// `16:26:52 [1] INFO …` has the shape of host:pid:tid.
bool LooksLikeClock(std::string_view host, uint32_t pid, uint32_t tid) {
  return host.size() <= 2 && pid < 60 && tid < 60 && scan::DigitsAt(host, 0) == host.size();
}

bool PlausibleHost(std::string_view host) {
  if (host.size() > kMaxHost) return false;
  for (char c : host) {
    if (!scan::IsHostChar(c) && c != '.') return false;
  }
  return true;
}

// False: no header begins `text`, which is told from its first few bytes. A header begins with `[2] `, milliseconds
// (`136.580392 `) or `NCCL `, or there is a number behind its first colon: `node3:4711:4790 `, `misc/socket.cc:484 `.
bool MayBeHeader(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] == '[') return text.size() > 1 && (IsDigit(text[1]) || text[1] == '-');
  if (scan::StartsWith(text, "NCCL ")) return true;
  size_t at = scan::NameSize(text);
  while (at < text.size() && !scan::IsAnyOf(text[at], ": \t")) ++at;
  if (at + 1 >= text.size()) return false;
  if (text[at] == ':') return IsDigit(text[at + 1]);
  return IsDigit(text[0]) && text.substr(0, at).find('.') != std::string_view::npos;
}

// Everything behind HOST:PID:TID [DEV]. Without a host the word NCCL or one of its source files is needed.
bool TakeTail(Cursor& c, NcclHeader& h, bool has_host, bool has_device) {
  // TRACE prints the milliseconds behind the device: `node07:4711:4790 [1] 136.580392 init:1396 NCCL TRACE …`.
  c.Skip(MillisecondsSize(c.Rest()));
  bool has_file = false;
  {
    Cursor probe = c;
    if (!probe.Literal("NCCL ")) {
      has_file = TakeFile(c, h);
      if (has_file) TakeFunction(c, h);
      if (!has_file && has_host && has_device) has_file = TakeSignature(c, h);
    }
  }
  const bool has_name = c.Literal("NCCL ");
  const LogLevel level = TakeLevel(c);
  if (level == LogLevel::kNone) return false;
  if (!has_name) {
    // 2.0 – 2.2: `host:pid:tid [2] INFO text`, `misc/ibvwrap.cu:61 WARN text`
    const bool old_level = level == LogLevel::kInfo || level == LogLevel::kWarn;
    const bool nccl_file =
        has_file && (scan::EndsWith(h.file, ".cu") || scan::EndsWith(h.file, ".h") || scan::EndsWith(h.file, ".cc"));
    // Without NCCL's name any logger could have printed it. A device behind a host, or a file of NCCL's in front of
    // WARN, is what no other program has.
    if (!old_level || !(has_host ? has_device : nccl_file && level == LogLevel::kWarn)) return false;
  }
  h.level = level;
  return true;
}

// HOST:PID:TID and a blank
bool TakeHost(Cursor& c, NcclHeader& h, bool* two_parts) {
  Cursor probe = c;
  const std::string_view host = probe.Until(": \t[]()<>\"'=,;/|");
  if (!PlausibleHost(host) || !probe.Char(':') || !probe.Uint32(&h.pid)) return false;
  *two_parts = false;
  if (probe.Char(':')) {
    if (!probe.Uint32(&h.tid)) return false;
    // Of one number only `HOST:PID NCCL DIAG` is a header; ParseHeader asks for it.
  } else {
    *two_parts = true;
  }
  if (!probe.Char(' ') || LooksLikeClock(host, h.pid, h.tid)) return false;
  h.host = host;
  h.present = true;
  c = probe;
  return true;
}

// `NCCL WARN ` at `at`?
bool AnchorAt(std::string_view text, size_t at) {
  Cursor c(text.substr(at));
  return c.Literal("NCCL ") && TakeLevel(c) != LogLevel::kNone;
}

// Where a time stamp ends that stands right in front of a host, whose first letters seem to begin at `host`; `host` if
// none does.
//   2026-03-01T16:39:51.208-07:00gpu-a17:79:79 [0] NCCL INFO …: the host is not "00gpu-a17"
size_t BehindTime(std::string_view text, size_t from, size_t host, size_t host_end) {
  constexpr size_t kMostDigits = 10;  // "208123456Z"
  if (host == from || (text[host - 1] != ':' && text[host - 1] != '.') || !IsDigit(text[host])) return host;
  size_t begin = host;
  while (begin > from && text[begin - 1] != ' ') --begin;
  // From the longest on: of `208123456Z` the Z ends the stamp, of `00gpu` nothing does, and the shorter part is tried.
  for (size_t end = std::min(host + kMostDigits, host_end - 1); end > host; --end) {
    if (!IsDigit(text[end]) && TimestampLength(text.substr(begin, end - begin), nullptr) == end - begin) return end;
  }
  return host;
}

// Start of HOST in front of `:PID:TID` that ends at `end`, or npos.
size_t HostStart(std::string_view text, size_t from, size_t end) {
  size_t i = end;
  for (int part = 0; part < 2; ++part) {
    const size_t stop = i;
    while (i > from && IsDigit(text[i - 1])) --i;
    // Ten digits hold any number of 32 bits.
    if (i == stop || stop - i > 10 || i == from || text[i - 1] != ':') return std::string_view::npos;
    --i;
  }
  const size_t host_end = i;
  while (i > from && scan::IsHostChar(text[i - 1])) --i;
  return i == host_end ? i : BehindTime(text, from, i, host_end);
}

}  // namespace

size_t MillisecondsSize(std::string_view text) {
  Cursor c(text);
  uint64_t v = 0;
  const bool there = c.Uint(&v) && c.Char('.') && c.Uint(&v) && c.Char(' ');
  return there ? static_cast<size_t>(c.position() - text.data()) : 0;
}

bool MayBeginWithHeader(std::string_view text) {
  Cursor c(text);
  c.SkipSpaces();
  return MayBeHeader(c.Rest());
}

size_t HostOfCutHeader(std::string_view text) {
  // Most lines begin with a word behind which no colon stands.
  const size_t name = scan::NameSize(text);
  if (name >= text.size() || text[name] != ':') return 0;
  size_t n = 0;
  while (n < text.size() && n < kMaxHost && scan::IsHostChar(text[n])) ++n;
  if (n >= text.size() || text[n] != ':') return 0;
  if (n + 1 < text.size() && !IsDigit(text[n + 1])) return 0;
  // Behind pid and thread a header has ` [`: `b200-c03:0<tab>olmo_core.train:233<tab>…` is another logger's.
  const std::string_view rest = text.substr(std::min(text.find_first_of(" \t", n), text.size()));
  return rest.size() <= 1 || rest.starts_with(" [") ? n : 0;
}

bool ParseHeader(std::string_view text, HeaderMatch* match) {
  if (text.size() < 8) return false;
  Cursor c(text);
  c.SkipSpaces();
  const std::string_view start = c.Rest();
  if (!MayBeHeader(start)) return false;
  NcclHeader h;
  // `[2025-03-01 12:00:00] ` of 2.26.2 and newer
  if (c.Peek() == '[' && start.size() > 12 && IsDigit(start[1])) {
    const size_t n = TimestampLength(start.substr(1), nullptr);
    if (n > 0 && start.size() > n + 2 && start[n + 1] == ']' && start[n + 2] == ' ') {
      h.time = start.substr(1, n);
      c.Skip(n + 3);
    }
  }
  if (!MayBeHeader(c.Rest())) return false;
  bool two_parts = false;
  const bool has_host = TakeHost(c, h, &two_parts);
  const bool has_device = TakeDevice(c, &h.device);
  if (!TakeTail(c, h, has_host, has_device) || (two_parts && h.level != LogLevel::kDiag)) return false;
  match->header = h;
  match->begin = 0;
  match->body = static_cast<size_t>(c.position() - text.data());
  match->cut = false;
  return true;
}

bool ParseHeaderBehindDevice(std::string_view text, size_t size, HeaderMatch* match) {
  Cursor c(text.substr(size));
  if (!TakeTail(c, match->header, true, true)) return false;
  match->body = static_cast<size_t>(c.position() - text.data());
  return true;
}

bool FindHeader(std::string_view text, size_t from, HeaderMatch* match) {
  // The word NCCL stands in NCCL's own messages, too; only with a level behind it is it a header's.
  for (size_t at = scan::Find(text, "NCCL ", from); at != std::string_view::npos;
       at = scan::Find(text, "NCCL ", at + 5)) {
    if (!AnchorAt(text, at)) continue;
    // Walk back over `[DEV]`, milliseconds, file:line and (function) to HOST:PID:TID.
    size_t end = at;
    size_t cut_begin = at;
    // Five at most: function, file, milliseconds, device, host.
    for (int token = 0; token < 5 && end > from && text[end - 1] == ' '; ++token) {
      --end;
      const size_t host = HostStart(text, from, end);
      if (host != std::string_view::npos) {
        HeaderMatch found;
        // A header that ends in front of the word belongs to another record further left.
        if (ParseHeader(text.substr(host), &found) && found.header.present && host + found.body > at) {
          found.begin = host;
          found.body += host;
          *match = found;
          return true;
        }
      }
      while (end > from && text[end - 1] != ' ') --end;
      // What is left of a cut header begins with its device at best: `…1:4802 [3] NCCL WARN …`.
      if (token == 0 && text[end] == '[') cut_begin = end;
    }
    // The host is not there: cut off, or overwritten by somebody else's line.
    HeaderMatch found;
    if (ParseHeader(text.substr(cut_begin), &found)) {
      found.begin = cut_begin;
      found.body += cut_begin;
      found.cut = cut_begin > from;
      *match = found;
      return true;
    }
  }
  return false;
}

namespace {

// Does such a record begin with the bracket at `at`?
bool IsTorchRecord(std::string_view text, size_t at) {
  Cursor c(text.substr(at + 1));
  uint64_t n = 0;
  // With a colon: `[rank3] ` is what programs print of themselves.
  if (c.Literal("rank") && c.Uint(&n) && c.Literal("]:")) return true;
  const char severity = c.Peek();
  if (severity != 'E' && severity != 'W' && severity != 'I' && severity != 'F') return false;
  c.Skip(1);
  // E1205 04:35:53.584483882 ProcessGroupNCCL.cpp:607] or E ProcessGroupNCCL.cpp:458]
  // `E1205 04:35:53.58 ProcessGroupNCCL.cpp:607]`: month and day are glued to the letter.
  if (c.Uint(&n)) {
    if (!c.Char(' ') || TimestampLength(c.Rest(), nullptr) == 0) return false;
    c.Word();
  }
  if (!c.Char(' ')) return false;
  const std::string_view file = c.Until(": ]");
  return (scan::EndsWith(file, ".cpp") || scan::EndsWith(file, ".hpp") || scan::EndsWith(file, ".h") ||
          scan::EndsWith(file, ".cu")) &&
         c.Char(':') && c.Uint(&n) && c.Literal("] ");
}

}  // namespace

size_t FindTorchRecord(std::string_view text, size_t from) {
  size_t first = std::string_view::npos;
  // One byte only is looked for: three are what the search takes at no cost more.
  swar::ForEachOf(text.data(), from, text.size(), '[', '[', '[', [&](size_t at) {
    if (first == std::string_view::npos && IsTorchRecord(text, at)) first = at;
  });
  return first;
}

bool MayHoldMore(std::string_view text, size_t from) {
  bool more = false;
  swar::ForEachOf(text.data(), from, text.size(), '&', '[', 'N', [&](size_t at) {
    more = more || text[at] == '&' || (text[at] == '[' ? IsTorchRecord(text, at) : AnchorAt(text, at));
  });
  return more;
}

}  // namespace ncclwhy
