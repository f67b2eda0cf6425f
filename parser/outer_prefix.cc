#include "parser/outer_prefix.h"

#include <algorithm>
#include <cstring>

#include "parser/clean_text.h"
#include "parser/prefix.h"
#include "parser/prefix_forms.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

using scan::Cursor;
constexpr size_t kMaxLearned = 512;
// Lines in a row with the same number: neither a listing nor a list.
constexpr uint32_t kSurelyLabels = 4;
constexpr uint32_t kSaidByText = 3;  // `N: … rank N …`, each with another number than the one before

}  // namespace

// Escapes and entities first: behind them the text is what the program printed.
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
  bool framed = frame_.any();
  bool fixed = !framed;
  for (int layer = 0; layer < limits::kPrefixLayers && !part.empty(); ++layer) {
    const char* const begin = part.data();
    const bool counted = out.prefix.launcher == LauncherLabel::kSrun;
    out.prefix.fixed = false;
    if (StripLayer(part, out)) {
      out.prefix.any = true;
      // Nothing may hide the number of a task, which is counted.
      fixed = fixed && !counted && (out.prefix.fixed || (layer == 0 && out.prefix.time.data() == begin));
    } else if (!framed || !TakeFrame(part)) {
      break;
    } else {
      framed = false;
      out.depends = out.depends || frame_.has_digit();
    }
  }
  out.prefix.fixed = fixed && out.prefix.any && out.prefix.Names() == !out.only_time;
  if (out.unit_pid && out.prefix.rank >= 0) {
    // `gpu-a17 job[4711]: [1,3]<stdout>:text`: of mpirun, not of its rank.
    out.prefix.pid = -1;
    out.prefix.host = {};
  }
  out.text = part;
  return out;
}

bool OuterPrefixStripper::TakeFrame(std::string_view& text) {
  if (scratch_used_ >= scratch_.size() || !frame_.TakeOff(text, scratch_[scratch_used_])) return false;
  ++scratch_used_;
  return true;
}

// By the first byte: each form has its own, so that a line without any prefix costs one comparison.
bool OuterPrefixStripper::StripLayer(std::string_view& text, StrippedLine& out) {
  const char c = text[0];
  if (learned_.MayBegin(c) && Learned(text, out)) return true;
  switch (c) {
    case '[':
      return Bracket(text, out);
    case '(':
      return Parenthesis(text, out);
    case '{':
      return Json(text, out);
    case '>':
      return Quote(text, out);
    case '#':
    case '_':
      return StripBuildMark(text, out);
    case ' ': {
      // ` 3: ` of srun -l, ` 2025-02-18 12:54 ` of ts
      std::string_view rest = text;
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (rest.empty() || !IsDigit(rest[0])) return false;
      if (Label(rest, out) || (text.size() - rest.size() == 1 && StripTime(rest, out))) {
        text = rest;
        return true;
      }
      return false;
    }
    default:
      if (IsDigit(c)) return StripTime(text, out) || Label(text, out) || Word(text, out);
      if (scan::IsAlpha(c)) return StripTime(text, out) || Word(text, out);
      return false;
  }
}

namespace {

// kubetail's and other collectors' name of a pod, in front of torch's label: `[train-worker-1] [rank9]: Traceback …`
bool IsPodBeforeRank(std::string_view inside, std::string_view rest) {
  constexpr std::string_view kRank = " [rank";
  const bool named = !inside.empty() && scan::IsAlpha(inside[0]) && inside.find('-') != std::string_view::npos &&
                     std::all_of(inside.begin(), inside.end(), [](char c) {
                       return scan::IsAlpha(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
                     });
  return named && HasDigit(inside) && rest.starts_with(kRank) && rest.size() > kRank.size() &&
         IsDigit(rest[kRank.size()]);
}

}  // namespace

// `[…] text`: one form after the other.
bool OuterPrefixStripper::Bracket(std::string_view& text, StrippedLine& out) {
  if (MpiBracket(text, out)) return true;
  const size_t close = text.find(']');
  if (close == std::string_view::npos || close >= 100) return false;
  const std::string_view inside = text.substr(1, close - 1);
  std::string_view rest = text.substr(close + 1);
  const bool colon = !rest.empty() && rest[0] == ':';
  if (StripNameBracket(inside, rest, out)) {
    out.prefix.fixed = colon;
  } else if (IsPodBeforeRank(inside, rest)) {
    out.prefix.pod = inside;
    out.only_time = false;
    rest.remove_prefix(1);
  } else if (!StripTimeBracket(inside, rest, out)) {
    return false;
  }
  text = rest;
  return true;
}

// [1,3]<stdout>:text   [1,mpirank:3,algo-1]<stdout>:text   [3]<stdout>:text   [3] text
bool OuterPrefixStripper::MpiBracket(std::string_view& text, StrippedLine& out) {
  Cursor c(text.substr(1));
  uint64_t first = 0;
  if (!c.Uint(&first)) return false;
  uint64_t rank = first;
  std::string_view pod;
  if (c.Literal(",mpirank:")) {
    if (!c.Uint(&rank) || !c.Char(',')) return false;
    pod = c.Until("]");
  } else if (c.Char(',') && !c.Uint(&rank)) {
    return false;
  }
  if (!c.Char(']')) return false;
  if (StripStreamTag(c, out.prefix)) {
    c.Char(' ');
    out.prefix.launcher = LauncherLabel::kMpirun;
    out.prefix.fixed = true;
    if (!pod.empty()) out.prefix.pod = pod;
  } else {
    // MPICH -prepend-rank: only where it stood in front of a header before.
    out.depends = true;
    if (!pod.empty() || rank != first || !c.Char(' ')) return false;
    const bool header = BeginsWithHeader(c.Rest());
    const bool known = brackets_seen_ || unsure_brackets_.AreTasks(rank, c.Rest());
    if (!header && (!known || scan::StartsWith(c.Rest(), "NCCL "))) return false;
    brackets_seen_ = true;
  }
  SetTask(out.prefix, rank);
  out.only_time = false;
  text = c.Rest();
  return true;
}

// (RayWorker pid=812, ip=10.1.62.31) text   (VllmWorker rank=1 pid=2514) text   (PolicyWorker[rank=3] pid=5007) text
// (Worker_TP1 pid=1) text   (raylet) text   (InferWorker(actor-6) pid=5006, ip=10.1.62.31) text
bool OuterPrefixStripper::Parenthesis(std::string_view& text, StrippedLine& out) {
  size_t close = text.find(") ");
  // The name of an actor has parentheses of its own.
  if (close != std::string_view::npos && text.substr(1, close).find('(') != std::string_view::npos) {
    close = text.find(") ", close + 2);
  }
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
  std::string_view rank = scan::After(inside, " rank=");
  if (rank.empty()) rank = scan::After(inside, "[rank=");
  if (!rank.empty()) {
    SetRank(p, static_cast<uint64_t>(std::max<int64_t>(0, scan::IntOr(rank, 0))));
  } else {
    const std::string_view tp = scan::After(inside, "_TP");
    if (!tp.empty() && IsDigit(tp[0])) SetParallelRank(inside, p);
  }
  if (!system) p.pod = Cursor(inside).Until(" [");
  out.framework = true;
  out.only_time = false;
  text.remove_prefix(close + 2);
  return true;
}

// What was learned goes along, what was counted does not: Join adds that up.
OuterPrefixStripper OuterPrefixStripper::ForSegment() const {
  OuterPrefixStripper out(frame_);
  out.words_ = words_;
  out.unsure_words_ = unsure_words_;
  out.learned_ = learned_;
  out.labels_seen_ = labels_seen_;
  out.unsure_labels_ = unsure_labels_;
  out.unsure_brackets_ = unsure_brackets_;
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
  out.depends = true;
  std::string_view rest = text.substr(digits + 1);
  if (!rest.empty() && rest[0] != ' ' && !labels_seen_) return false;
  if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  uint64_t v = 0;
  Cursor(text).Uint(&v);
  labels_seen_ = labels_seen_ || HasHeaderSomewhere(rest) || unsure_labels_.AreTasks(v, rest) ||
                 unsure_labels_.in_a_row() >= kSurelyLabels;
  if (!labels_seen_) return false;
  if (!rest.empty() && IsDigit(rest[0]) && text[digits + 1] != ' ') return false;  // a clock: 16:26:52
  CountLabel(v);
  SetTask(out.prefix, v);
  out.prefix.launcher = LauncherLabel::kSrun;
  out.prefix.fixed = true;
  out.only_time = false;
  text = rest;
  return true;
}

// Markdown: `> text`, `>> text`. Python's `>>> ` stays.
bool OuterPrefixStripper::Quote(std::string_view& text, StrippedLine& out) {
  if (scan::StartsWith(text, ">>>")) return false;
  size_t n = scan::StartsWith(text, ">>") ? 2 : 1;
  if (n < text.size() && text[n++] != ' ') return false;
  text.remove_prefix(n);
  out.only_time = false;
  return true;
}

// `15: MD engine v4.2 rank 15/16 host node2`: the text says the same as the number in front of it.
bool OuterPrefixStripper::UnsureLabels::SaysItself(uint64_t label, std::string_view rest) {
  rest.remove_prefix(std::min(rest.find("rank"), rest.size()));
  rest.remove_prefix(std::min<size_t>(4, rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" :=#"), rest.size()));
  uint64_t rank = 0;
  return Cursor(rest).Uint(&rank) && rank == label;
}

bool OuterPrefixStripper::UnsureLabels::AreTasks(uint64_t label, std::string_view rest) {
  before_record_ = before_record_ || BeginsRecord(rest);
  const bool returns = latest_ && label <= *latest_;
  if ((!latest_ || label != *latest_) && SaysItself(label, rest) && ++said_ >= kSaidByText) return true;
  in_a_row_ = latest_ && label == *latest_ ? in_a_row_ + 1 : 1;
  latest_ = label;
  return before_record_ && returns;
}

bool OuterPrefixStripper::Word(std::string_view& text, StrippedLine& out) {
  OuterPrefix& p = out.prefix;
  Cursor c(text);
  const size_t n = scan::NameSize(text.substr(0, 64));
  const std::string_view word = text.substr(0, n);
  if (word.empty() || n >= text.size()) return false;
  if (text[n] == ':' && n + 1 < text.size() && IsDigit(text[n + 1])) return false;  // host:pid:tid
  c.Skip(n);
  // vLLM's logger: INFO 10-13 09:06:25 [v1/executor/x.py:558] text, INFO 11-01 23:16:33 config.py:695] text
  // A WARNING stays whole: that it is no more than one is a part of what it says.
  if (c.Char(' ') && (word == "INFO" || word == "ERROR" || word == "DEBUG" || word == "CRITICAL")) {
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
  // Not `learning rate: 8.850E-04 | global batch size: 512`, whose columns may stand in a frame.
  const bool service =
      scan::IsAlpha(word[0]) && IsDigit(word.back()) && word.find_first_of("-_") != std::string_view::npos;
  if (c.Peek() == ' ' && service && bar.Char('|') && (bar.AtEnd() || bar.Char(' '))) {
    p.pod = word;
    out.only_time = false;
    text = bar.Rest();
    return true;
  }
  // node3: text of pdsh, only for words that stood in front of a header
  if (c.Literal(": ") || (c.Char(':') && c.AtEnd())) {
    out.depends = out.depends || HasDigit(word);
    const bool known = std::find(words_.begin(), words_.end(), word) != words_.end();
    if (!known) {
      const bool host = BeginsWithHeader(c.Rest()) || IsHostBeforeRecords(word, c.Rest()) || IsSyslogOf(word, c.Rest());
      if (words_.size() >= kMaxLearned || !host) return false;
      words_.emplace_back(word);
    }
    p.host = word;
    p.fixed = true;
    out.only_time = false;
    text = c.Rest();
    return true;
  }
  return false;
}

// `worker-3: Traceback …` for the second time: a name with a number, and no file's (`train_v2.py: `). DeepSpeed's
// launcher is what pdsh starts on each host: `ds-b: [2024-08-07 09:20:00,450] [INFO] [launch.py:256:main] process 77…`
bool OuterPrefixStripper::IsHostBeforeRecords(std::string_view word, std::string_view rest) {
  if (!BeginsRecord(rest)) return false;
  const bool number = std::any_of(word.begin(), word.end(), [](char c) { return IsDigit(c); });
  const size_t point = word.rfind('.');
  const bool name = scan::IsAlpha(word[0]) || point != std::string_view::npos;
  const bool file = point != std::string_view::npos && word.size() - point <= 4 && !IsDigit(word.back());
  const bool launched = word.find('-') != std::string_view::npos && rest.find("] [launch.py:") < 64;
  if (!(number || launched) || !name || file) return false;
  if (std::find(unsure_words_.begin(), unsure_words_.end(), word) != unsure_words_.end()) return true;
  if (unsure_words_.size() < kMaxLearned) unsure_words_.emplace_back(word);
  return false;
}

bool OuterPrefixStripper::Json(std::string_view& text, StrippedLine& out) {
  out.depends = true;
  if (scratch_used_ >= scratch_.size()) return false;
  JsonLog log;
  OuterPrefix& p = out.prefix;
  const bool collected = ParseJsonLog(text, scratch_[scratch_used_], &log);
  if (p.time.empty()) p.time = log.time;
  if (!collected) return false;
  ++scratch_used_;
  if (!log.stream.empty()) p.stream = log.stream;
  if (!log.pod.empty()) p.pod = log.pod;
  if (!log.host.empty()) p.host = log.host;
  out.only_time = false;
  text = log.text;
  return true;
}

// `worker-11 >> [1] NCCL INFO …`
bool OuterPrefixStripper::Learned(std::string_view& text, StrippedLine& out) {
  out.depends = true;
  std::string_view name;
  if (!learned_.TakeOff(text, &name)) return false;
  if (!name.empty()) out.prefix.pod = name;
  out.only_time = false;
  return true;
}

}  // namespace ncclwhy
