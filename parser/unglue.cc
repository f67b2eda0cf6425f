#include "parser/unglue.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "base/limits.h"
#include "base/logger_prefix.h"
#include "parser/dialect.h"
#include "parser/outer_prefix.h"
#include "parser/prefix.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

// Longer than most lines; what is shorter is rarely two.
constexpr size_t kLongLine = 120;
constexpr size_t kMostBreak = 5;  // `<br />` without its last byte
// From a prefix to the header that it belongs to.
constexpr size_t kPrefix = 120;

bool IsTorch(std::string_view text) { return text[0] == '[' && FindTorchRecord(text.substr(0, 200), 0) == 0; }

bool IsHeader(std::string_view text) {
  HeaderMatch match;
  return ParseHeader(text, &match) || ParseHeaderless(text, &match) || IsTorch(text);
}

// Nearly every word of a text is such a one: it is asked first.
// `count` of `count 65536`: nothing in which a header, a stamp or an exception has its signs.
bool IsPlainWord(std::string_view text) {
  if (!scan::IsDigit(text[0]) && !(scan::IsAlnum(text[0]) && !scan::IsUpper(text[0]))) return false;
  size_t n = 1;
  while (n < text.size() && scan::IsIdentifierChar(text[n])) ++n;
  return n < text.size() && text[n] == ' ';
}

// How much of `text` surely belongs to the beginning of a record; 0: none begins here.
size_t RecordHead(std::string_view text) {
  if (IsPlainWord(text)) return DialectHeadLength(text);
  HeaderMatch match;
  if (ParseHeader(text, &match) || ParseHeaderless(text, &match)) return std::max<size_t>(match.body, 1);
  if (IsTorch(text)) return text.find(']') + 1;
  TimeForm form = TimeForm::kNone;
  const size_t bracket = text[0] == '[' ? 1 : 0;
  const size_t time = TimestampLength(text.substr(bracket), &form);
  // A bare number is no record's beginning: milliseconds stand in values, too.
  if (time > 0 && form != TimeForm::kEpoch && form != TimeForm::kBootSeconds) return time + bracket;
  // WARNING 02-12 09:30:33 [ray_utils.py:338] text of vLLM
  for (const std::string_view level : {"WARNING ", "INFO ", "ERROR ", "DEBUG ", "CRITICAL "}) {
    if (!scan::StartsWith(text, level) || text.size() < level.size() + 16) continue;
    const std::string_view stamp = text.substr(level.size());
    if (scan::DigitsAt(stamp, 0) != 2 || TimestampLength(stamp.substr(6, 8), nullptr) != 8) continue;
    return std::min(std::min(text.find("] "), kPrefix), text.size());
  }
  // (RayWorker pid=812, ip=10.1.62.31)   [1,3]<stdout>:   I0917 19:46:00.202469 118211 file.cc:82]
  if (text[0] == '(') {
    const size_t pid = text.substr(0, kPrefix).find(" pid=");
    const bool named = pid != std::string_view::npos && pid > 0 && text[pid - 1] == ')';
    if (named || pid < text.find(')')) return text.find(')', pid);
  }
  // 24 bytes: `[1,mpirank:3,algo-1]<std` and shorter labels.
  if (text[0] == '[' && scan::Contains(text.substr(0, 24), "]<std")) return text.find(':');
  if (std::string_view("IWEF").find(text[0]) != std::string_view::npos && scan::DigitsAt(text, 1) == 4 &&
      TimestampLength(text.substr(std::min<size_t>(6, text.size())), nullptr) > 0) {
    return std::min(text.find("] "), kPrefix);
  }
  const size_t exception = PythonExceptionLength(text);
  if (exception > 0 && exception < text.size()) return exception;
  if (scan::StartsWith(text, "File \"")) return 6;
  if (scan::StartsWith(text, "Test NCCL failure ") || scan::StartsWith(text, "Cuda failure ")) return 12;
  return DialectHeadLength(text);
}

// The same with the heads that follow at once: `[1,3]<stdout>:node3:4711:4790 [2] NCCL INFO `, `(W pid=1) [rank0]:[E…]
// `
size_t RecordHeads(std::string_view text) {
  size_t at = 0;
  for (int layer = 0; layer < limits::kPrefixLayers; ++layer) {
    const size_t head = at < text.size() ? RecordHead(text.substr(at)) : 0;
    if (head == 0 || head > text.size() - at) break;  // `[1,3]<stdout` that nothing closes
    at += head;
    while (at < text.size() && (text[at] == ':' || text[at] == ')' || text[at] == ']' || text[at] == ' ')) ++at;
  }
  while (at > 0 && text[at - 1] == ' ') --at;
  return at;
}

// Whether nothing but a prefix stands between `begin`, where a record began if `known`, and what begins at `at`.
bool IsPrefix(std::string_view text, size_t begin, size_t at, bool known) {
  if (at - begin > kPrefix) return false;
  if (!known) return true;
  // Stamps and brackets go on with what they are of; headers, and words that begin a record, do not.
  const bool stamp = scan::IsDigit(text[begin]) || text[begin] == '[' || text[begin] == '(';
  return stamp && at >= 2 && !IsHeader(text.substr(begin)) &&
         std::string_view("])}:>|-").find(text[at - 2]) != std::string_view::npos;
}

// What a collector and a launcher put in front of a line, with the head behind it: nothing is glued in there.
//   2026-11-22T10:00:16.432Z 01O node3:4711:4790 [2] NCCL INFO …
size_t FirstHead(OuterPrefixStripper& stripper, std::string_view line) {
  const StrippedLine stripped = stripper.Strip(line);
  const char* const text = stripped.text.data();
  const bool part = text >= line.data() && text <= line.data() + line.size();
  const size_t prefix = stripped.prefix.any && part ? static_cast<size_t>(text - line.data()) : 0;
  return prefix + RecordHeads(line.substr(prefix));
}

// What a byte is in a word.
enum Kind : uint8_t { kNone, kLetter, kDigit };

constexpr std::array<Kind, 256> KindsOfBytes() {
  std::array<Kind, 256> kinds{};
  for (size_t c = 0; c < kinds.size(); ++c) {
    const char byte = static_cast<char>(c);
    if (scan::IsAlnum(byte)) kinds[c] = scan::IsDigit(byte) ? kDigit : kLetter;
  }
  return kinds;
}

constexpr std::array<Kind, 256> kKinds = KindsOfBytes();

// Lines in which no other record begins. Those that differ from one of them in numbers alone are not looked at
// again: most lines of a log that a program wrote are such.
//   … opCount 2a sendbuff 0x7f2c0a000000 …   … opCount 2b sendbuff 0x7f2c0e000000 …
class WholeLines {
 public:
  bool Has(std::string_view line) { return Mask(line) && known_.contains(hash_); }
  // The line that Has was asked for last.
  void Add() {
    if (maskable_ && known_.size() < kMost) known_.insert(hash_);
  }

 private:
  static constexpr size_t kMost = 256;

  // What begins a record shows by where it has numbers, but for a time, whose values count: a line that has what may be
  // one is not masked. A word that begins with a digit is a number: 65536, 2a, 0x7f2c0a000000.
  bool Mask(std::string_view line) {
    constexpr uint64_t kPrime = 0x100000001b3;  // FNV-1a
    maskable_ = false;
    Kind word = kNone;  // what the word began with that this byte may go on with
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < line.size(); ++i) {
      auto c = static_cast<unsigned char>(line[i]);
      const Kind kind = kKinds[c];
      if (kind == kNone) {
        word = kNone;
      } else if (word == kNone) {
        word = kind;
        if (kind == kDigit) {
          if (i > 1 && scan::IsDigit(line[i - 2]) && IsMark(line[i - 1])) return false;
          c = '0';
        }
      } else if (word == kDigit) {
        continue;
      }
      hash = (hash ^ c) * kPrime;
    }
    hash_ = hash;
    return maskable_ = true;
  }
  static bool IsMark(char c) { return c == ':' || c == '-' || c == '/'; }

  std::unordered_set<uint64_t> known_;
  uint64_t hash_ = 0;
  bool maskable_ = false;
};

}  // namespace

// Only lines that are longer than programs write them are looked at. Breaks take the place of blanks, so every byte
// stays where it was.
Unglued Unglue(std::string_view text) {
  Unglued out;
  std::string cut(text);
  OuterPrefixStripper stripper;
  WholeLines whole;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    // A record in JSON keeps its newlines as `\n` inside, where the parser of such lines reads them.
    if (line.size() > kLongLine && line[0] != '{') {
      size_t record = 0;  // the last one begins here
      const size_t first = FirstHead(stripper, line);
      if (whole.Has(line.substr(first))) continue;
      bool whole_line = true;
      bool known = first > 0;
      for (size_t at = first; at < line.size(); ++at) {
        // Two characters for a newline: the first becomes a blank, so that offsets stay.
        if (line[at] == '\\' && at + 2 < line.size() && line[at + 1] == 'n') {
          cut[begin + at] = ' ';
          cut[begin + at + 1] = '\n';
          ++out.cuts;
          record = at + 2;
          ++at;
          whole_line = false;
          continue;
        }
        // A web page's break: `…<br>node3:4711:4790 [2] NCCL …`, `<br />`
        if (line[at] == '<' && scan::StartsWith(line.substr(at), "<br")) {
          const size_t close = line.find('>', at);
          if (close != std::string_view::npos && close - at <= kMostBreak) {
            std::fill_n(cut.begin() + static_cast<std::ptrdiff_t>(begin + at), close - at, ' ');
            cut[begin + close] = '\n';
            ++out.cuts;
            record = close + 1;
            at = close;
            whole_line = false;
            continue;
          }
        }
        // In mid-sentence: `…, NCCL version 2.28.9`
        // Two blanks in a row, a comma or an opening parenthesis in front: the text goes on.
        if (at < 2 || line[at - 1] != ' ' || line[at] == ' ' || line[at - 2] == ',' || line[at - 2] == '(') continue;
        const size_t head = RecordHeads(line.substr(at));
        if (head == 0) continue;
        whole_line = false;
        if (scan::IsDigit(line[at]) && AsksForTime(line.substr(0, at))) continue;
        if (!IsPrefix(line, record, at, known)) {
          cut[begin + at - 1] = '\n';
          ++out.cuts;
          // Who asks whether the result is better counts these: by chance none of them begins in mid-line.
          out.sure += IsHeader(line.substr(at)) ? 1 : 0;
          record = at;
        }
        known = true;
        // What follows `Last error:` is a record of its own.
        at += head;
        if (at + 1 < line.size() && scan::EndsWith(line.substr(0, at), "Last error:") && line[at] == ' ') {
          cut[begin + at] = '\n';
          ++out.cuts;
          record = at + 1;
        }
        --at;
      }
      if (whole_line) whole.Add();
    }
  }
  if (out.cuts > 0) out.text = std::move(cut);
  return out;
}

}  // namespace ncclwhy
