// Hand-written scanning over views: digits, literals, words. No locale, no allocation. Private to the parser.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/swar.h"
#include "base/text.h"

namespace ncclwhy::scan {

using ncclwhy::HexValue;
using ncclwhy::IsAlnum;
using ncclwhy::IsAlpha;
using ncclwhy::IsAnyOf;
using ncclwhy::IsDigit;
using ncclwhy::IsLower;
using ncclwhy::IsUpper;
inline bool IsSpace(char c) { return c == ' ' || c == '\t'; }
// Characters of a host name as NCCL prints it: cut at the first dot. Names of containers have `_`, too.
inline bool IsHostChar(char c) { return IsAlnum(c) || c == '-' || c == '_'; }
inline bool IsIdentifierChar(char c) { return IsWordChar(c); }

// The first byte saves most calls: families of messages ask this for each of their dozens of beginnings.
inline bool StartsWith(std::string_view text, std::string_view head) {
  if (text.size() < head.size()) return false;
  return head.empty() || (text[0] == head[0] && std::memcmp(text.data(), head.data(), head.size()) == 0);
}
// "mlx5_0 [RO]" with "[RO]"
inline bool EndsWith(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}
// Position of `needle` at or behind `from`, or npos. One memchr per candidate: faster than find() on log text.
inline size_t Find(std::string_view text, std::string_view needle, size_t from = 0) {
  while (from + needle.size() <= text.size()) {
    const void* hit = std::memchr(text.data() + from, needle[0], text.size() - from - needle.size() + 1);
    if (hit == nullptr) break;
    const auto at = static_cast<size_t>(static_cast<const char*>(hit) - text.data());
    const size_t last = needle.size() - 1;  // one more byte saves most calls of memcmp
    if (text[at + last] == needle[last] && std::memcmp(text.data() + at, needle.data(), needle.size()) == 0) return at;
    from = at + 1;
  }
  return std::string_view::npos;
}
inline bool Contains(std::string_view text, std::string_view needle) {
  return Find(text, needle) != std::string_view::npos;
}
// What stands behind `needle`, or an empty view.
inline std::string_view After(std::string_view text, std::string_view needle) {
  const size_t at = Find(text, needle);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + needle.size());
}
// A view of what is left without blanks and tabs at both ends.
inline std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}
// Nothing but blanks and tabs.
inline bool IsBlank(std::string_view text) { return Trim(text).empty(); }
// How many digits stand at `at`.
inline size_t DigitsAt(std::string_view text, size_t at) {
  size_t n = 0;
  while (at + n < text.size() && IsDigit(text[at + n])) ++n;
  return n;
}

// How long the name is that `text` begins with, of a host, a file or a class: IsHostChar and dots.
inline size_t NameSize(std::string_view text) {
  size_t n = 0;
  for (; n + 16 <= text.size(); n += 16) {
    const size_t some = swar::NameBytes(text.data() + n);
    if (some < 16) return n + some;
  }
  while (n < text.size() && (IsHostChar(text[n]) || text[n] == '.')) ++n;
  return n;
}

// A position that moves over a text. A method that returns false leaves the position where it was, so alternatives are
// tried one after the other. Copying one is a bookmark: two pointers. The text is borrowed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

  // A cursor at its end reads nothing more: Peek is NUL, Rest and Word are empty, all else is false.
  bool AtEnd() const { return p_ == end_; }
  char Peek() const { return p_ == end_ ? '\0' : *p_; }
  std::string_view Rest() const { return {p_, static_cast<size_t>(end_ - p_)}; }
  const char* position() const { return p_; }

  // Inlined everywhere: of a constant, the comparison is a load or two instead of a call.
  [[gnu::always_inline]] bool Literal(std::string_view literal) {
    const size_t size = literal.size();
    if (static_cast<size_t>(end_ - p_) < size) return false;
    if (size >= 8 && size <= 16) {  // compilers call memcmp for some of these
      const auto differ = [&](size_t at) { return swar::Load(p_ + at) ^ swar::Load(literal.data() + at); };
      if ((differ(0) | differ(size - 8)) != 0) return false;
    } else if (std::memcmp(p_, literal.data(), size) != 0) {
      return false;
    }
    p_ += size;
    return true;
  }
  // Moves over `c` if it is the next character.
  bool Char(char c) {
    if (p_ == end_ || *p_ != c) return false;
    ++p_;
    return true;
  }
  // Only behind what was seen to be there.
  void Skip(size_t n) { p_ += n; }
  void SkipSpaces() {
    while (p_ != end_ && IsSpace(*p_)) ++p_;
  }
  // "4711:…" → 4711. Up to seven digits, as nearly all numbers of a log have, are read at once; no number has more than
  // 20. A value beyond 64 bits is taken modulo 2^64: who cares for the range asks Int32, or checks.
  bool Uint(uint64_t* value) {
    if (end_ - p_ >= 8) {
      const uint64_t word = swar::Load(p_);
      const size_t digits = swar::Guess(swar::Digits(word));
      if (digits == 0) return false;
      if (digits < 8) {
        *value = swar::Decimal(word, digits);
        p_ += digits;
        return true;
      }
    }
    const char* q = p_;
    uint64_t v = 0;
    while (q != end_ && IsDigit(*q) && q - p_ < 20) v = v * 10 + static_cast<uint64_t>(*q++ - '0');
    if (q == p_) return false;
    p_ = q;
    *value = v;
    return true;
  }
  // False for what does not fit.
  bool Uint32(uint32_t* value) {
    const char* start = p_;
    uint64_t v = 0;
    if (!Uint(&v) || v > UINT32_MAX) {
      p_ = start;
      return false;
    }
    *value = static_cast<uint32_t>(v);
    return true;
  }
  // With a sign: ranks and devices that are none are -1. Of a value beyond 63 bits the upper bit is lost.
  bool Int(int64_t* value) {
    const char* start = p_;
    const bool negative = Char('-');
    uint64_t v = 0;
    if (!Uint(&v)) {
      p_ = start;
      return false;
    }
    *value = negative ? -static_cast<int64_t>(v & INT64_MAX) : static_cast<int64_t>(v & INT64_MAX);
    return true;
  }
  // False for what does not fit: a rank of ten digits is none.
  bool Int32(int32_t* value) {
    const char* start = p_;
    int64_t v = 0;
    if (!Int(&v) || v < INT32_MIN + 1 || v > INT32_MAX) {
      p_ = start;
      return false;
    }
    *value = static_cast<int32_t>(v);
    return true;
  }
  // Hexadecimal with or without 0x; `(nil)` and `nil` count as 0. Sixteen digits are read at most: what follows is the
  // caller's.
  [[gnu::always_inline]] bool Hex(uint64_t* value) {
    const char* begin = p_;
    const size_t digits = HexDigits(&begin);
    if (digits == 0) return Nil(value);
    *value = end_ - begin >= 16 ? swar::Hexadecimal(begin, digits) : HexOf(begin, digits);
    p_ = begin + digits;
    return true;
  }
  // The same where the number does not matter.
  [[gnu::always_inline]] bool SkipHex() {
    const char* begin = p_;
    const size_t digits = HexDigits(&begin);
    uint64_t ignored = 0;
    if (digits == 0) return Nil(&ignored);
    p_ = begin + digits;
    return true;
  }
  // Up to the next blank or the end; empty where one stands.
  std::string_view Word() {
    const char* start = p_;
    while (p_ != end_ && !IsSpace(*p_)) ++p_;
    return {start, static_cast<size_t>(p_ - start)};
  }
  // Up to (not including) any character of `stops`, or the end. Inlined, since most callers give two or three stops.
  [[gnu::always_inline]] std::string_view Until(std::string_view stops) {
    const char* start = p_;
    for (; p_ != end_; ++p_) {
      bool stop = false;
      for (const char c : stops) stop = stop || *p_ == c;
      if (stop) break;
    }
    return {start, static_cast<size_t>(p_ - start)};
  }

 private:
  // How many hexadecimal digits stand behind an optional 0x, 16 at most; `*begin` is moved to the first of them.
  [[gnu::always_inline]] size_t HexDigits(const char** begin) const {
    if (end_ - p_ >= 2 && p_[0] == '0' && p_[1] == 'x') *begin += 2;
    if (end_ - *begin >= 16) return swar::Guess(swar::HexDigits(*begin));
    size_t n = 0;
    while (*begin + n != end_ && HexValue((*begin)[n]) >= 0) ++n;
    return n;
  }
  static uint64_t HexOf(const char* p, size_t digits) {
    uint64_t v = 0;
    for (size_t i = 0; i < digits; ++i) v = (v << 4) | static_cast<uint64_t>(HexValue(p[i]));
    return v;
  }
  bool Nil(uint64_t* value) {
    if (!Literal("(nil)") && !Literal("nil")) return false;
    *value = 0;
    return true;
  }

  const char* p_;
  const char* end_;
};

// The integer that `text` begins with, or `otherwise`.
inline int64_t IntOr(std::string_view text, int64_t otherwise) {
  int64_t v = otherwise;
  Cursor(text).Int(&v);
  return v;
}
// The word behind `key`, without trailing punctuation; empty when `key` is not there. `key` with its separator:
// WordAfter("… nranks 16, …", "nranks ") is 16.
inline std::string_view WordAfter(std::string_view text, std::string_view key, std::string_view stops = " ,;)") {
  const std::string_view rest = After(text, key);
  return Cursor(rest).Until(stops);
}
// The first word behind `key` and any blanks, up to a blank, a quote, or punctuation.
inline std::string_view WordBehind(std::string_view text, std::string_view key) {
  const std::string_view rest = Trim(After(text, key));
  return rest.substr(0, rest.find_first_of(" \t,;:'\""));
}

}  // namespace ncclwhy::scan
