// ASCII text without a locale: classes of characters, globs, and the name that somebody probably meant.
#pragma once

#include <string_view>
#include <vector>

namespace ncclwhy {

// Not <cctype>: that asks the locale, and is undefined for a negative char.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAlpha(char c) { return IsLower(static_cast<char>(c | 0x20)); }
constexpr bool IsAlnum(char c) { return IsDigit(c) || IsAlpha(c); }
// What regular expressions call \w: a name in most languages.
constexpr bool IsWordChar(char c) { return IsAlnum(c) || c == '_'; }
// Whether `c` is one of a few bytes that are known when this is compiled.
constexpr bool IsAnyOf(char c, std::string_view bytes) {
  bool is = false;
  for (const char byte : bytes) is = is || c == byte;
  return is;
}
// -1 when it is no hexadecimal digit.
constexpr int HexValue(char c) {
  const int lower = c | 0x20;
  return IsDigit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
constexpr bool IsHexDigit(char c) { return HexValue(c) >= 0; }

// A and a are alike; letters beyond ASCII are compared byte by byte.
bool SameButCase(std::string_view a, std::string_view b);

// `*` matches any run of characters, the empty one as well, everything else itself: "net-*" and "net-refused". The
// whole text has to match. No recursion: a glob of many stars takes size × size steps at most.
bool GlobMatches(std::string_view glob, std::string_view text);

// "slurm bare-metal" → its words, which stand between blanks (no tabs). Views of `text`.
std::vector<std::string_view> SplitWords(std::string_view text);

// Letters to insert, drop, change or swap to make one of the other; `limit` + 1 when it is more than `limit`, or a text
// is longer than 128 bytes. A swap counts once, as what is swapped is left alone afterwards.
int EditDistance(std::string_view a, std::string_view b, int limit);

// The nearest of `names` to `name`; empty when none is near: more than a fifth of the letters (at least two, and at
// most half of them) are wrong. Of equally near ones the first. Case and the kind of separator do not count: they are
// what people get wrong most often. Failing that a name of ten letters or more stands for the shortest that begins with
// it: NCCL_IB_GID for NCCL_IB_GID_INDEX.
//    nccl-ib-hca      NCCL_IB_HCA           only case and separators differ
//    NCCL_SOKET_IFNAME  NCCL_SOCKET_IFNAME   one letter
//    NET              nothing for IB        a short word is another word soon
std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace ncclwhy
