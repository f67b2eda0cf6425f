#include "parser/prefix_forms.h"

#include <algorithm>

#include "parser/prefix.h"
#include "parser/timestamp.h"

namespace ncclwhy {

using scan::Cursor;
using scan::IsDigit;

bool BeginsWithHeader(std::string_view text) {
  HeaderMatch match;
  return ParseHeader(text, &match) && match.header.present;
}

bool HasHeaderSomewhere(std::string_view text) {
  HeaderMatch match;
  return FindHeader(text, 0, &match) && match.header.present;
}

void SetRank(OuterPrefix& prefix, uint64_t rank) {
  // INT32_MAX is taken for no rank: launchers print 2147483647 and 4294967295 for -1.
  if (rank >= INT32_MAX) return;
  prefix.rank = static_cast<int32_t>(rank);
  prefix.rank_said = true;
}

void SetTask(OuterPrefix& prefix, uint64_t task) {
  SetRank(prefix, task);
  prefix.task = prefix.rank;
  // Not said by the program: `0: [rank1]: text` may follow, which is the truth.
  prefix.rank_said = false;
}

void SetParallelRank(std::string_view words, OuterPrefix& prefix) {
  const std::string_view tp = scan::After(words, "TP");
  uint64_t v = 0;
  if (!Cursor(tp).Uint(&v) || v >= INT32_MAX) return;
  prefix.local_rank = static_cast<int32_t>(v);
  // TP3 exists once in each data or pipeline group. Without those it is one server, all of whose ranks share each
  // layer.
  if (!scan::Contains(words, "DP") && !scan::Contains(words, "PP")) SetRank(prefix, v);
}

bool StripStreamTag(Cursor& c, OuterPrefix& prefix) {
  Cursor probe = c;
  if (!probe.Char('<')) return false;
  // `stddiag` is what Open MPI's help messages come through.
  const std::string_view stream = probe.Until("> ");
  if ((stream != "stdout" && stream != "stderr" && stream != "stddiag") || !probe.Literal(">:")) return false;
  prefix.stream = stream;
  c = probe;
  return true;
}

namespace {

// `rank3`, `default3`: PyTorch and torchrun
// torchrun's role may have any name, and numbers the processes of a node; only `rank` is PyTorch's global one.
bool TakeRole(std::string_view inside, OuterPrefix& p) {
  if (inside.empty() || !scan::IsAlpha(inside[0]) || !IsDigit(inside.back())) return false;
  size_t digits = inside.size();
  while (digits > 0 && IsDigit(inside[digits - 1])) --digits;
  const std::string_view role = inside.substr(0, digits);
  uint64_t v = 0;
  const bool plain = std::all_of(role.begin(), role.end(), [](char ch) { return scan::IsHostChar(ch); });
  // `[node07]: …` is a host's: nobody numbers the processes of a node with zeros in front.
  if (inside.size() - digits > 1 && inside[digits] == '0') return false;
  if (!plain || !Cursor(inside.substr(digits)).Uint(&v) || v >= INT32_MAX) return false;
  if (role == "rank") {
    SetRank(p, v);
  } else {
    p.local_rank = static_cast<int32_t>(v);
  }
  return true;
}

// ud_ep.c:278  Fatal: …
bool BeginsPlaceInC(std::string_view text) {
  Cursor c(text);
  const std::string_view file = c.Until(":");
  uint64_t line = 0;
  return (file.ends_with(".c") || file.ends_with(".cc")) && file.find(' ') == std::string_view::npos && c.Char(':') &&
         c.Uint(&line) && c.Char(' ');
}

// `cn0417:40120:0`, `gpu07:8204:0:8204`: UCX, its host, process and thread, in front of
//   ib_md.c:287  UCX  ERROR ibv_reg_mr(…) failed        Caught signal 11 (Segmentation fault: …)
// or, behind the longer form, what it ends the process with: ib_mlx5_log.c:179  Transport retry count exceeded on …
bool TakeUcx(std::string_view inside, std::string_view behind, StrippedLine& out) {
  Cursor c(inside);
  const std::string_view host = c.Until(":");
  uint64_t pid = 0, thread = 0;
  if (host.empty() || !std::any_of(host.begin(), host.end(), [](char ch) { return scan::IsAlpha(ch); })) return false;
  if (!std::all_of(host.begin(), host.end(), [](char ch) { return scan::IsHostChar(ch) || ch == '.'; })) return false;
  if (!c.Char(':') || !c.Uint(&pid) || !c.Char(':') || !c.Uint(&thread)) return false;
  const bool longer = !c.AtEnd();
  if (longer && (!c.Char(':') || !c.Uint(&thread) || !c.AtEnd())) return false;
  behind.remove_prefix(std::min(behind.find_first_not_of(' '), behind.size()));
  if (!scan::StartsWith(behind, "Caught signal") && behind.substr(0, 60).find(" UCX ") == std::string_view::npos &&
      !(longer && BeginsPlaceInC(behind))) {
    return false;
  }
  out.depends = true;
  if (pid == 0 || pid > INT32_MAX) return false;
  out.prefix.host = host;
  out.prefix.pid = static_cast<int64_t>(pid);
  return true;
}

// `131453.740743`, `    +0.000012` of dmesg
// A digit or a plus begins it, six digits end it: `[3.14]` is none.
bool IsKernelClock(std::string_view inside) {
  Cursor c(inside);
  uint64_t v = 0;
  c.SkipSpaces();
  c.Char('+');
  return c.Uint(&v) && c.Char('.') && c.Rest().size() == 6 && scan::DigitsAt(c.Rest(), 0) == 6;
}

}  // namespace

bool StripNameBracket(std::string_view inside, std::string_view& rest, StrippedLine& out) {
  OuterPrefix& p = out.prefix;
  Cursor after(rest);
  const auto accept = [&] {
    after.Char(' ');
    out.only_time = false;
    rest = after.Rest();
    return true;
  };
  // prterun names its job `prterun-HOST-PID@JOB,RANK`; only the numbers behind the @ say something.
  if (const size_t at = inside.find('@'); at != std::string_view::npos) {
    Cursor c(inside.substr(at + 1));
    uint64_t job = 0;
    uint64_t rank = 0;
    if (c.Uint(&job) && c.Char(',') && c.Uint(&rank) && c.AtEnd() && StripStreamTag(after, p)) {
      SetTask(p, rank);
      p.launcher = LauncherLabel::kMpirun;
      return accept();
    }
  }
  if (TakeUcx(inside, after.Rest(), out)) {
    after.SkipSpaces();
    return accept();
  }
  // `[rank3]:` with a colon is a label. `[rank3] ` may be a list's index.
  if (after.Char(':')) {
    out.depends = true;
    return TakeRole(inside, p) && accept();
  }
  if (after.Peek() != ' ') return false;
  Cursor c(inside);
  uint64_t rank = 0;
  if ((c.Literal("RANK ") || c.Literal("rank: ")) && c.Uint(&rank) && c.AtEnd()) {
    SetRank(p, rank);
    return accept();
  }
  c = Cursor(inside);
  // kubectl logs --prefix: `[pod/train-worker-3/pytorch] `.
  if (!c.Literal("pod/")) return false;
  p.pod = c.Until("/");
  return accept();
}

bool BeginsRecord(std::string_view text) {
  if (scan::StartsWith(text, "Traceback (most recent call last):")) return true;
  if (scan::StartsWith(text, "Fatal Python error: ")) return true;
  if (scan::StartsWith(text, "[rank")) {
    const size_t digits = scan::DigitsAt(text, 5);
    if (digits > 0 && scan::StartsWith(text.substr(5 + digits), "]:")) return true;
  }
  // glog's stamp with or without the bracket: `[W305 12:42:17.024437460 x.cpp:1250]`, `W0305 12:42:17.994000`.
  if (text.size() > 1 && text[0] == '[') text.remove_prefix(1);
  if (text.size() < 20) return false;
  if (scan::IsAnyOf(text[0], "IWEF")) {
    const size_t digits = scan::DigitsAt(text, 1);
    // PyTorch prints the month without a zero in front: three digits up to September.
    return digits >= 3 && digits <= 4 && text[1 + digits] == ' ' &&
           TimestampLength(text.substr(2 + digits, 8), nullptr) == 8;
  }
  // 19: date and clock. A date alone begins many a line that is no record.
  if (scan::DigitsAt(text, 0) == 4) return (text[4] == '-' || text[4] == '/') && TimestampLength(text, nullptr) >= 19;
  // As Accelerate and Transformers write it: 11/03/2025 22:10:11 - INFO - __main__ - …
  TimeForm form = TimeForm::kNone;
  return TimestampLength(text, &form) > 0 && form == TimeForm::kTurnedDate;
}

// MosaicML and Determined: `1a2b3c [rank=3] || text`
bool StripPlatformLabel(std::string_view& text, OuterPrefix& prefix) {
  constexpr size_t kNear = 64;  // holds the name of a run; a longer text may quote such a label
  const size_t at = scan::Find(text.substr(0, kNear), "[rank=");
  if (at == std::string_view::npos) return false;
  Cursor c(text.substr(at + 6));
  uint64_t rank = 0;
  if (!c.Uint(&rank) || !c.Literal("] || ")) return false;
  SetRank(prefix, rank);
  text = c.Rest();
  return true;
}

bool StripTimeBracket(std::string_view inside, std::string_view& rest, StrippedLine& out) {
  OuterPrefix& p = out.prefix;
  Cursor after(rest);
  // `[12:00:00]text` and `[12:00:00].` are text.
  if (!after.Char(' ')) return false;
  TimeForm form;
  if (const size_t n = TimestampLength(inside, &form); n > 0) {
    const std::string_view more = inside.substr(n);
    // ` TP3`, ` DP1 TP3 EP3`: SGLang puts the ranks of its groups behind the time.
    const bool parallel =
        more.size() > 3 && (scan::Contains(more, " TP") || scan::Contains(more, " DP") || scan::Contains(more, " PP"));
    if (more.empty() || parallel) {
      // NCCL's own stamp belongs to its header: [2025-03-01 12:00:00] node3:4711:4801 [2] …
      const bool host = after.Peek() != '[' && !scan::IsSpace(after.Peek());
      if (more.empty() && IsDigit(inside[0]) && host && BeginsWithHeader(after.Rest())) return false;
      if (p.time.empty()) p.time = inside.substr(0, n);
      // dmesg -T writes dates like that in brackets, and nobody else does.
      if (form == TimeForm::kLong) out.kernel = true;
      if (parallel) {
        SetParallelRank(more, p);
        out.framework = true;
        out.only_time = false;
      }
      rest = after.Rest();
      if (StripPlatformLabel(rest, p)) out.only_time = false;
      return true;
    }
  }
  // In front of another bracket it is a logger's elapsed time: `[12.345678] [INFO] text`.
  if (!IsKernelClock(inside) || after.Peek() == '[') return false;
  if (p.time.empty()) p.time = scan::Trim(inside);
  out.kernel = true;
  rest = after.Rest();
  return true;
}

namespace {

// Mar  1 12:00:00 node3 python3[4711]: text      2025-03-01T12:00:00+00:00 node3 kernel: text
bool StripSyslog(std::string_view& text, StrippedLine& out, std::string_view time) {
  Cursor c(text);
  const std::string_view host = c.Word();
  if (host.empty() || host.size() > 64 || !c.Char(' ')) return false;
  for (char ch : host) {
    if (!scan::IsHostChar(ch) && ch != '.') return false;
  }
  const std::string_view program = c.Until("[: ");
  if (program.empty() || program.size() > 64) return false;
  uint64_t pid = 0;
  bool has_pid = false;
  if (c.Char('[')) {
    if (!c.Uint(&pid) || !c.Char(']')) return false;
    has_pid = true;
  }
  if (!c.Char(':') || !c.Char(' ')) return false;
  // A pid in brackets behind the name of a program is syslog's alone.
  // `2025-03-01 12:00:00 INFO root: text` has the same shape; only a program with pid or the kernel is sure.
  const bool kernel = program == "kernel";
  if (!has_pid && !kernel) return false;
  OuterPrefix& p = out.prefix;
  if (p.time.empty()) p.time = time;
  p.host = host;
  if (has_pid) p.pid = static_cast<int64_t>(pid);
  out.unit_pid = has_pid;
  out.kernel = out.kernel || kernel;
  out.only_time = false;
  text = c.Rest();
  return true;
}

}  // namespace

// Time stamps and what collectors put between them and the text.
bool StripTime(std::string_view& text, StrippedLine& out) {
  TimeForm form;
  const size_t n = TimestampLength(text, &form);
  OuterPrefix& p = out.prefix;
  if (n == 0) {
    // /dev/kmsg: 4,1227,437812449932,-;NVRM: …
    Cursor c(text);
    // Priority, sequence, microseconds, flags; the text stands behind the semicolon.
    uint64_t v = 0;
    if (!c.Uint(&v) || !c.Char(',') || !c.Uint(&v) || !c.Char(',') || !c.Uint(&v) || !c.Char(',')) return false;
    c.Until(";");
    if (!c.Char(';')) return false;
    out.kernel = true;
    text = c.Rest();
    return true;
  }
  const std::string_view time = text.substr(0, n);
  Cursor c(text.substr(n));
  if (form == TimeForm::kLong) {
    // mpirun -timestamp-output: Sat Mar  1 12:00:00 2025[1,3]<stdout>:text
    Cursor tag = c;
    if (tag.Char('[')) {
      uint64_t rank = 0;
      if (tag.Uint(&rank) && (!tag.Char(',') || tag.Uint(&rank)) && tag.Char(']') && StripStreamTag(tag, p)) {
        SetRank(p, rank);
        p.launcher = LauncherLabel::kMpirun;
        out.only_time = false;
        c = tag;
      }
    } else if (!StripStreamTag(c, p) && !c.Char(' ')) {
      return false;
    }
    if (p.time.empty()) p.time = time;
    text = c.Rest();
    return true;
  }
  // A time that nothing is behind, or a comma, is a value: `12:00:00,next`. Milliseconds since 1970 may have a comma,
  // in exports.
  if (!c.Char(' ') && !c.Char('\t') && !(form == TimeForm::kEpoch && c.Char(','))) return false;
  // Only these two forms stand in front of a host.
  if (form == TimeForm::kSyslog || form == TimeForm::kDate) {
    std::string_view rest = c.Rest();
    if (StripSyslog(rest, out, time)) {
      text = rest;
      return true;
    }
  }
  // Container runtimes and collectors date each line in full, and put their own words behind.
  if (form == TimeForm::kDate) {
    Cursor cri = c;  // 2025-…Z stdout F text
    const std::string_view stream = cri.Word();
    if ((stream == "stdout" || stream == "stderr") && cri.Char(' ')) {
      const std::string_view tag = cri.Word();
      // F ends a line, P is a part of one, of which the rest comes with a stamp of its own.
      if (!tag.empty() && (tag[0] == 'F' || tag[0] == 'P')) {
        cri.Char(' ');
        p.stream = stream;
        c = cri;
      }
    } else if (stream.size() >= 3 && stream.size() <= 4 && IsDigit(stream[0]) && IsDigit(stream[1]) &&
               (stream[2] == 'O' || stream[2] == 'E')) {
      cri.Char(' ');  // GitLab: 2025-…Z 01O text
      p.stream = stream[2] == 'O' ? "stdout" : "stderr";
      c = cri;
    } else if (!stream.empty() && stream[0] == '{') {
      Cursor labels = c;  // logcli: 2025-…Z {pod="w-3", container="c"} text
      const std::string_view inside = labels.Until("}");
      if (labels.Literal("} ")) {
        p.pod = scan::WordAfter(inside, "pod=\"", "\"");
        c = labels;
      }
    }
  }
  if (std::string_view rest = c.Rest(); StripPlatformLabel(rest, p)) c = Cursor(rest);
  if (form == TimeForm::kClock) {
    // 16:26:52.052 [INFO:swift] … keeps its text; a bare duration such as `00:12:01 elapsed` loses nothing either
    if (c.AtEnd()) return false;
  }
  if (p.time.empty()) p.time = time;
  text = c.Rest();
  return true;
}

bool IsSyslogOf(std::string_view host, std::string_view text) {
  StrippedLine line;
  // The host is not needed elsewhere: only whether the line would give the same one.
  return StripTime(text, line) && line.prefix.host == host;
}

bool StripBuildMark(std::string_view& text, StrippedLine& out) {
  static constexpr std::string_view kStamp = "_bk;t=";
  if (scan::StartsWith(text, kStamp)) {
    const size_t digits = scan::DigitsAt(text, kStamp.size());  // milliseconds since 1970
    if (digits < 10 || digits > 13) return false;
    if (out.prefix.time.empty()) out.prefix.time = text.substr(kStamp.size(), digits);
    text.remove_prefix(kStamp.size() + digits);
    if (!text.empty() && text[0] == '\a') text.remove_prefix(1);
    return true;
  }
  if (scan::StartsWith(text, "##[")) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos || close > 20) return false;
    text.remove_prefix(close + 1);
    return true;
  }
  Cursor c(text);
  uint64_t v = 0;
  if (!c.Char('#') || !c.Uint(&v) || !c.Char(' ') || !c.Uint(&v) || !c.Char('.') || !c.Uint(&v) || !c.Char(' ')) {
    return false;
  }
  text = c.Rest();
  return true;
}

}  // namespace ncclwhy
