#include "parser/outer_prefix.h"

#include <algorithm>
#include <cstring>

#include "base/swar.h"
#include "parser/clean_text.h"
#include "parser/prefix.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

using scan::Cursor;
using scan::IsDigit;
constexpr size_t kMaxLearned = 512;
constexpr size_t kMaxJunk = 96;

bool HasHeader(std::string_view text) {
  HeaderMatch match;
  return ParseHeader(text, &match) && match.header.present;
}

// The same with further prefixes in between.
bool HasHeaderSomewhere(std::string_view text) {
  HeaderMatch match;
  return FindHeader(text, 0, &match) && match.header.present;
}

std::string_view Remaining(const Cursor& c, std::string_view text) {
  return text.substr(static_cast<size_t>(c.position() - text.data()));
}

void SetRank(OuterPrefix& prefix, uint64_t rank) {
  if (rank < INT32_MAX) prefix.rank = static_cast<int32_t>(rank);
}

// `<stdout>:` or `<stdout>: `
bool StreamTag(Cursor& c, OuterPrefix& prefix) {
  Cursor probe = c;
  if (!probe.Char('<')) return false;
  const std::string_view stream = probe.Until("> ");
  if ((stream != "stdout" && stream != "stderr" && stream != "stddiag") || !probe.Literal(">:")) return false;
  prefix.stream = stream;
  c = probe;
  return true;
}

// TP3, DP1 TP3 EP3 of SGLang; TP1 of vLLM's Worker_TP1
void ParallelRank(std::string_view words, OuterPrefix& prefix) {
  const std::string_view tp = scan::After(words, "TP");
  uint64_t v = 0;
  if (Cursor(tp).Uint(&v) && v < INT32_MAX) prefix.local_rank = static_cast<int32_t>(v);
}

}  // namespace

StrippedLine OuterPrefixStripper::Strip(std::string_view line) {
  scratch_used_ = 0;
  std::string_view text = line;
  if (!MayNeedCleaning(text)) return StripPart(text);
  if (std::memchr(text.data(), '\x1b', text.size()) != nullptr || scan::Contains(text, "[0m")) {
    text = StripAnsi(text, scratch_[scratch_used_++]);
  }
  if (std::memchr(text.data(), '&', text.size()) != nullptr) text = DecodeEntities(text, scratch_[scratch_used_++]);
  return StripPart(text);
}

StrippedLine OuterPrefixStripper::StripPart(std::string_view part) {
  StrippedLine out;
  out.only_time = true;
  for (int layer = 0; layer < limits::kPrefixLayers && !part.empty(); ++layer) {
    if (!StripLayer(part, out)) break;
    out.prefix.any = true;
  }
  out.text = part;
  return out;
}

bool OuterPrefixStripper::StripLayer(std::string_view& text, StrippedLine& out) {
  const char c = text[0];
  if (learned_heads_.test(static_cast<unsigned char>(c)) && Learned(text, out)) return true;
  switch (c) {
    case '[':
      return Bracket(text, out);
    case '(':
      return Parenthesis(text, out);
    case '{':
      return Json(text, out);
    case '>':
      return Quote(text, out);
    case '#': {
      // ##[error]text of GitHub Actions; `#13 4.991 text` of BuildKit
      if (scan::StartsWith(text, "##[")) {
        const size_t close = text.find(']');
        if (close == std::string_view::npos || close > 20) return false;
        text.remove_prefix(close + 1);
        return true;
      }
      Cursor cur(text.substr(1));
      uint64_t v = 0;
      if (!cur.Uint(&v) || !cur.Char(' ') || !cur.Uint(&v) || !cur.Char('.') || !cur.Uint(&v) || !cur.Char(' ')) {
        return false;
      }
      text = Remaining(cur, text);
      return true;
    }
    case ' ': {
      // ` 3: ` of srun -l, ` 2025-02-18 12:54 ` of ts
      std::string_view rest = text;
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (rest.empty() || !IsDigit(rest[0])) return false;
      if (Label(rest, out) || (text.size() - rest.size() == 1 && Time(rest, out))) {
        text = rest;
        return true;
      }
      return false;
    }
    default:
      if (IsDigit(c)) return Time(text, out) || Label(text, out) || Word(text, out);
      if (scan::IsAlpha(c)) return Time(text, out) || Word(text, out);
      return false;
  }
}

bool OuterPrefixStripper::Bracket(std::string_view& text, StrippedLine& out) {
  OuterPrefix& p = out.prefix;
  Cursor c(text.substr(1));
  uint64_t v = 0;
  uint64_t job = 0;
  const auto accept = [&](const Cursor& at) {
    text = Remaining(at, text);
    out.only_time = false;
    return true;
  };
  {  // [1,3]<stdout>:  [1,mpirank:3,algo-1]<stdout>:  [3]<stdout>:
    Cursor m = c;
    if (m.Uint(&job)) {
      bool tagged = false;
      uint64_t rank = job;
      std::string_view pod;
      if (m.Literal(",mpirank:")) {
        tagged = m.Uint(&rank) && m.Char(',');
        pod = m.Until("]");
      } else if (m.Char(',')) {
        tagged = m.Uint(&rank);
      } else {
        tagged = true;
      }
      if (tagged && m.Char(']')) {
        Cursor tag = m;
        if (StreamTag(tag, p)) {
          tag.Char(' ');
          SetRank(p, rank);
          if (!pod.empty()) p.pod = pod;
          return accept(tag);
        }
        // [3] text of MPICH -prepend-rank: only where it stood in front of a header before
        if (pod.empty() && m.Char(' ') && rank == job) {
          const bool header = HasHeader(Remaining(m, text));
          if (header || (brackets_seen_ && !scan::StartsWith(m.Rest(), "NCCL "))) {
            brackets_seen_ = brackets_seen_ || header;
            SetRank(p, rank);
            return accept(m);
          }
        }
      }
    }
  }
  // [prterun-host-1234@1,3]<stdout>:
  if (const size_t close = text.find(']'); close != std::string_view::npos && close < 100) {
    const std::string_view inside = text.substr(1, close - 1);
    Cursor after(text.substr(close + 1));
    if (const size_t at = inside.find('@'); at != std::string_view::npos) {
      Cursor m(inside.substr(at + 1));
      if (m.Uint(&job) && m.Char(',') && m.Uint(&v) && m.AtEnd() && StreamTag(after, p)) {
        after.Char(' ');
        SetRank(p, v);
        return accept(after);
      }
    }
    // [rank3]:  [default3]:  of PyTorch and torchrun
    if (after.Char(':') && !inside.empty() && scan::IsAlpha(inside[0]) && IsDigit(inside.back())) {
      size_t digits = inside.size();
      while (digits > 0 && IsDigit(inside[digits - 1])) --digits;
      const std::string_view role = inside.substr(0, digits);
      const bool plain = std::all_of(role.begin(), role.end(), [](char ch) { return scan::IsHostChar(ch); });
      if (plain && Cursor(inside.substr(digits)).Uint(&v) && v < INT32_MAX) {
        after.Char(' ');
        if (role == "rank") {
          SetRank(p, v);
        } else {
          p.local_rank = static_cast<int32_t>(v);
        }
        return accept(after);
      }
    }
    after = Cursor(text.substr(close + 1));
    // [RANK 0] text of accelerate, [rank: 5] text of Lightning
    Cursor m(inside);
    if ((m.Literal("RANK ") || m.Literal("rank: ")) && m.Uint(&v) && m.AtEnd() && after.Char(' ')) {
      SetRank(p, v);
      return accept(after);
    }
    // [pod/train-worker-3/pytorch] text of kubectl logs --prefix
    m = Cursor(inside);
    if (m.Literal("pod/") && after.Char(' ')) {
      p.pod = m.Until("/");
      return accept(after);
    }
    after = Cursor(text.substr(close + 1));
    // [2025-03-01 12:00:00] text, [2025-03-01 12:00:00 TP3] text, [Sat Mar  1 12:00:00 2025] of dmesg -T
    TimeForm form;
    if (const size_t n = TimestampLength(inside, &form); n > 0 && after.Char(' ')) {
      const std::string_view rest = inside.substr(n);
      const bool parallel = rest.size() > 3 &&
                            (scan::Contains(rest, " TP") || scan::Contains(rest, " DP") || scan::Contains(rest, " PP"));
      if (rest.empty() || parallel) {
        // NCCL's own stamp belongs to its header: [2025-03-01 12:00:00] node3:4711:4801 [2] …
        const bool host = after.Peek() != '[' && !scan::IsSpace(after.Peek());
        if (rest.empty() && IsDigit(inside[0]) && host && HasHeader(after.Rest())) return false;
        if (p.time.empty()) p.time = inside.substr(0, n);
        if (form == TimeForm::kLong) out.kernel = true;
        if (parallel) {
          ParallelRank(rest, p);
          out.framework = true;
          out.only_time = false;
        }
        text = Remaining(after, text);
        return true;
      }
    }
    after = Cursor(text.substr(close + 1));
    // [131453.740743] text of dmesg
    m = Cursor(inside);
    m.SkipSpaces();
    m.Char('+');
    if (m.Uint(&v) && m.Char('.')) {
      const std::string_view fraction = m.Rest();
      if (fraction.size() == 6 && scan::DigitsAt(fraction, 0) == 6 && after.Char(' ') && after.Peek() != '[') {
        if (p.time.empty()) p.time = scan::Trim(inside);
        out.kernel = true;
        text = Remaining(after, text);
        return true;
      }
    }
  }
  return false;
}

// (RayWorker pid=812, ip=10.1.62.31) text   (VllmWorker rank=1 pid=2514) text   (Worker_TP1 pid=1) text   (raylet) text
bool OuterPrefixStripper::Parenthesis(std::string_view& text, StrippedLine& out) {
  const size_t close = text.find(") ");
  if (close == std::string_view::npos || close > 120) return false;
  const std::string_view inside = text.substr(1, close - 1);
  const std::string_view pid = scan::After(inside, " pid=");
  const bool system = scan::StartsWith(inside, "raylet") || scan::StartsWith(inside, "autoscaler") ||
                      scan::StartsWith(inside, "gcs_server");
  if (pid.empty() && !system) return false;
  OuterPrefix& p = out.prefix;
  if (!pid.empty()) {
    if (!IsDigit(pid[0])) return false;
    p.pid = scan::IntOr(pid, -1);
  }
  const std::string_view ip = scan::After(inside, "ip=");
  if (!ip.empty()) p.host = Cursor(ip).Until(" ,)");
  const std::string_view rank = scan::After(inside, " rank=");
  if (!rank.empty()) {
    SetRank(p, static_cast<uint64_t>(std::max<int64_t>(0, scan::IntOr(rank, 0))));
  } else {
    const std::string_view tp = scan::After(inside, "_TP");
    if (!tp.empty() && IsDigit(tp[0])) ParallelRank(inside, p);
  }
  if (!system) p.pod = Cursor(inside).Until(" ");
  out.framework = true;
  out.only_time = false;
  text.remove_prefix(close + 2);
  return true;
}

// Time stamps and what collectors put between them and the text.
bool OuterPrefixStripper::Time(std::string_view& text, StrippedLine& out) {
  TimeForm form;
  const size_t n = TimestampLength(text, &form);
  OuterPrefix& p = out.prefix;
  if (n == 0) {
    // /dev/kmsg: 4,1227,437812449932,-;NVRM: …
    Cursor c(text);
    uint64_t v = 0;
    if (!c.Uint(&v) || !c.Char(',') || !c.Uint(&v) || !c.Char(',') || !c.Uint(&v) || !c.Char(',')) return false;
    c.Until(";");
    if (!c.Char(';')) return false;
    out.kernel = true;
    text = Remaining(c, text);
    return true;
  }
  const std::string_view time = text.substr(0, n);
  Cursor c(text.substr(n));
  uint64_t v = 0;
  if (form == TimeForm::kLong) {
    // mpirun -timestamp-output: Sat Mar  1 12:00:00 2025[1,3]<stdout>:text
    Cursor tag = c;
    if (tag.Char('[')) {
      uint64_t rank = 0;
      if (tag.Uint(&rank) && (!tag.Char(',') || tag.Uint(&rank)) && tag.Char(']') && StreamTag(tag, p)) {
        SetRank(p, rank);
        out.only_time = false;
        c = tag;
      }
    } else if (!StreamTag(c, p) && !c.Char(' ')) {
      return false;
    }
    if (p.time.empty()) p.time = time;
    text = Remaining(c, text);
    return true;
  }
  if (!c.Char(' ') && !(form == TimeForm::kEpoch && c.Char(','))) return false;
  if (form == TimeForm::kSyslog || form == TimeForm::kDate) {
    std::string_view rest = Remaining(c, text);
    if (Syslog(rest, out, time)) {
      text = rest;
      return true;
    }
  }
  if (form == TimeForm::kDate) {
    Cursor cri = c;  // 2025-…Z stdout F text
    const std::string_view stream = cri.Word();
    if ((stream == "stdout" || stream == "stderr") && cri.Char(' ')) {
      const std::string_view tag = cri.Word();
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
  // MosaicML: 1a2b3c [rank=3] || text
  if (const size_t at = scan::Find(c.Rest().substr(0, 64), "[rank="); at != std::string_view::npos) {
    Cursor m(c.Rest().substr(at + 6));
    if (m.Uint(&v) && m.Literal("] || ")) {
      SetRank(p, v);
      c = m;
    }
  }
  if (form == TimeForm::kClock) {
    // 16:26:52.052 [INFO:swift] … keeps its text; a bare duration such as `00:12:01 elapsed` loses nothing either
    if (c.AtEnd()) return false;
  }
  if (p.time.empty()) p.time = time;
  text = Remaining(c, text);
  return true;
}

// Mar  1 12:00:00 node3 python3[4711]: text      2025-03-01T12:00:00+00:00 node3 kernel: text
bool OuterPrefixStripper::Syslog(std::string_view& text, StrippedLine& out, std::string_view time) {
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
  // `2025-03-01 12:00:00 INFO root: text` has the same shape; only a program with pid or the kernel is sure.
  const bool kernel = program == "kernel";
  if (!has_pid && !kernel) return false;
  OuterPrefix& p = out.prefix;
  if (p.time.empty()) p.time = time;
  p.host = host;
  if (has_pid) p.pid = static_cast<int64_t>(pid);
  out.kernel = out.kernel || kernel;
  out.only_time = false;
  text = Remaining(c, text);
  return true;
}

OuterPrefixStripper OuterPrefixStripper::ForSegment() const {
  OuterPrefixStripper out;
  out.words_ = words_;
  out.learned_ = learned_;
  out.learned_heads_ = learned_heads_;
  out.candidates_ = candidates_;
  out.labels_seen_ = labels_seen_;
  out.brackets_seen_ = brackets_seen_;
  return out;
}

void OuterPrefixStripper::Join(const OuterPrefixStripper& segment) {
  label_count_ += segment.label_count_;
  labels_monotonous_ = labels_monotonous_ && segment.labels_monotonous_;
}

// srun -l: `3: text`, ` 12: text`, `39:` on blank lines. Also line numbers of listings.
bool OuterPrefixStripper::Label(std::string_view& text, StrippedLine& out) {
  const size_t digits = scan::DigitsAt(text, 0);
  if (digits == 0 || digits > 5 || digits >= text.size() || text[digits] != ':') return false;
  std::string_view rest = text.substr(digits + 1);
  if (!rest.empty() && rest[0] != ' ' && !labels_seen_) return false;
  if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  if (!labels_seen_) {
    if (!HasHeaderSomewhere(rest)) return false;
    labels_seen_ = true;
  }
  if (!rest.empty() && IsDigit(rest[0]) && text[digits + 1] != ' ') return false;  // a clock: 16:26:52
  uint64_t v = 0;
  Cursor(text).Uint(&v);
  if (label_count_++ > 0 && v != last_label_ + 1) labels_monotonous_ = false;
  last_label_ = v;
  SetRank(out.prefix, v);
  out.only_time = false;
  text = rest;
  return true;
}

// Markdown: `> text`, `>> text`. Python's `>>> ` stays.
bool OuterPrefixStripper::Quote(std::string_view& text, StrippedLine& out) {
  if (scan::StartsWith(text, ">>>")) return false;
  size_t n = scan::StartsWith(text, ">>") ? 2 : 1;
  if (n < text.size() && text[n] != ' ') return false;
  if (n < text.size()) ++n;
  text.remove_prefix(n);
  out.only_time = false;
  return true;
}

bool OuterPrefixStripper::Word(std::string_view& text, StrippedLine& out) {
  OuterPrefix& p = out.prefix;
  Cursor c(text);
  size_t n = 0;
  while (n < text.size() && n < 64 && (scan::IsHostChar(text[n]) || text[n] == '.')) ++n;
  const std::string_view word = text.substr(0, n);
  if (word.empty() || n >= text.size()) return false;
  c.Skip(n);
  // vLLM's logger: INFO 10-13 09:06:25 [v1/executor/x.py:558] text, INFO 11-01 23:16:33 config.py:695] text
  if (c.Char(' ') &&
      (word == "INFO" || word == "WARNING" || word == "ERROR" || word == "DEBUG" || word == "CRITICAL")) {
    const std::string_view rest = c.Rest();
    if (rest.size() > 16 && IsDigit(rest[0]) && rest[2] == '-' && rest[5] == ' ' &&
        TimestampLength(rest.substr(6, 8), nullptr) == 8) {
      const size_t close = rest.find("] ");
      if (close == std::string_view::npos || close > 100) return false;
      if (p.time.empty()) p.time = rest.substr(0, 14);
      out.framework = true;
      out.only_time = false;
      text = rest.substr(close + 2);
      return true;
    }
    return false;
  }
  c = Cursor(text);
  c.Skip(n);
  // worker-1  | text of docker compose
  Cursor bar = c;
  bar.SkipSpaces();
  const bool service = IsDigit(word.back()) && word.find_first_of("-_") != std::string_view::npos;
  if (c.Peek() == ' ' && service && bar.Char('|') && (bar.AtEnd() || bar.Char(' '))) {
    p.pod = word;
    out.only_time = false;
    text = Remaining(bar, text);
    return true;
  }
  // node3: text of pdsh, only for words that stood in front of a header
  if (c.Literal(": ") || (c.Char(':') && c.AtEnd())) {
    const bool known = std::find(words_.begin(), words_.end(), word) != words_.end();
    if (!known) {
      if (!HasHeader(c.Rest()) || words_.size() >= kMaxLearned) return false;
      words_.emplace_back(word);
    }
    p.host = word;
    out.only_time = false;
    text = Remaining(c, text);
    return true;
  }
  return false;
}

bool OuterPrefixStripper::Json(std::string_view& text, StrippedLine& out) {
  if (scratch_used_ >= scratch_.size()) return false;
  JsonLog log;
  if (!ParseJsonLog(text, scratch_[scratch_used_], &log)) return false;
  ++scratch_used_;
  OuterPrefix& p = out.prefix;
  if (p.time.empty()) p.time = log.time;
  if (!log.stream.empty()) p.stream = log.stream;
  if (!log.pod.empty()) p.pod = log.pod;
  if (!log.host.empty()) p.host = log.host;
  out.only_time = false;
  text = log.text;
  return true;
}

void OuterPrefixStripper::Learn(std::string_view junk) {
  if (junk.size() > kMaxJunk || learned_.size() >= kMaxLearned || scan::Trim(junk).empty()) return;
  // What does not end like a prefix is a piece of another line; so is a header, and a progress bar.
  if (std::string_view(" :|>]\t").find(junk.back()) == std::string_view::npos) return;
  if (std::none_of(junk.begin(), junk.end(), [](char c) { return scan::IsAlpha(c); })) return;
  if (junk.find('%') != std::string_view::npos || scan::Contains(junk, "it/s")) return;
  for (size_t i = 0; i + 1 < junk.size(); ++i) {
    if (junk[i] == ':' && IsDigit(junk[i + 1])) return;
  }
  if (std::any_of(learned_.begin(), learned_.end(), [&](const Known& known) { return known.text == junk; })) return;
  const auto candidate = std::find(candidates_.begin(), candidates_.end(), junk);
  if (candidate != candidates_.end()) {
    learned_.emplace_back(std::move(*candidate));
    learned_heads_.set(static_cast<unsigned char>(junk[0]));
    candidates_.erase(candidate);
  } else if (candidates_.size() < kMaxLearned) {
    candidates_.emplace_back(junk);
  }
}

// The first word is the nearest thing to a name: `worker-11 >> `, `[job-1-worker-1, unknown_ip] `, `pod container `
OuterPrefixStripper::Known::Known(std::string learned) : text(std::move(learned)) {
  name_begin = std::min(text.find_first_not_of(" [(<"), text.size());
  name_end = name_begin;
  while (name_end < text.size() && (scan::IsHostChar(text[name_end]) || text[name_end] == '.')) ++name_end;
  for (size_t i = 0; i < text.size() && i < sizeof head; ++i) {
    head |= uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    head_mask |= uint64_t{0xFF} << (8 * i);
  }
}

bool OuterPrefixStripper::Learned(std::string_view& text, StrippedLine& out) {
  const uint64_t head = text.size() >= sizeof head ? swar::Load(text.data()) : 0;
  const auto begins_with = [&](const Known& known) {
    if (text.size() >= sizeof head && (head & known.head_mask) != known.head) return false;
    return scan::StartsWith(text, known.text);
  };
  const auto take = [&](size_t index) {
    const Known& known = learned_[index];
    last_learned_ = index;
    if (known.name_end > known.name_begin) {
      out.prefix.pod = text.substr(known.name_begin, known.name_end - known.name_begin);
    }
    out.only_time = false;
    text.remove_prefix(known.text.size());
    return true;
  };
  if (begins_with(learned_[last_learned_])) return take(last_learned_);
  for (size_t i = 0; i < learned_.size(); ++i) {
    if (begins_with(learned_[i])) return take(i);
  }
  return false;
}

}  // namespace ncclwhy
