#include "rules/engine/regex_bytes.h"

#include "base/text.h"

namespace ncclwhy {
namespace {

size_t FirstOf(const RegexBytes& bytes) {
  size_t first = 0;
  while (!bytes[first]) ++first;
  return first;
}

// \x7f
std::optional<RegexBytes> Hex(std::string_view regex, size_t* at) {
  size_t value = 0;
  for (int i = 0; i < 2; ++i, ++*at) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (*at >= regex.size()) return std::nullopt;
    const char c = regex[*at];
    const size_t digit = kDigits.find(static_cast<char>(IsDigit(c) ? c : c | 0x20));
    if (digit == std::string_view::npos) return std::nullopt;
    value = 16 * value + digit;
  }
  return RegexBytes().set(value);
}

}  // namespace

std::optional<RegexBytes> ReadRegexByte(std::string_view regex, size_t* at) {
  RegexBytes bytes;
  const char c = regex[(*at)++];
  if (c != '\\') return bytes.set(static_cast<unsigned char>(c));
  if (*at >= regex.size()) return std::nullopt;
  const char escaped = regex[(*at)++];
  const auto set_if = [&](auto is) {
    for (size_t b = 0; b < bytes.size(); ++b) bytes.set(b, is(static_cast<char>(static_cast<unsigned char>(b))));
  };
  switch (escaped) {
    case 'd':
    case 'D':
      set_if(IsDigit);
      break;
    case 'w':
    case 'W':
      set_if(IsWordChar);
      break;
    case 's':
    case 'S':
      set_if([](char b) { return IsAnyOf(b, " \t\n\f\r"); });
      break;
    case 'n':
      return bytes.set('\n');
    case 't':
      return bytes.set('\t');
    case 'x':
      return Hex(regex, at);
    default:
      if (IsAlnum(escaped) || static_cast<unsigned char>(escaped) >= 0x80) return std::nullopt;
      return bytes.set(static_cast<unsigned char>(escaped));
  }
  return escaped < 'a' ? ~bytes : bytes;
}

// [^|\n] []a] [0-9a-f]
std::optional<RegexBytes> ReadRegexClass(std::string_view regex, size_t* at) {
  RegexBytes bytes;
  ++*at;
  const bool others = *at < regex.size() && regex[*at] == '^';
  if (others) ++*at;
  for (bool first = true; *at < regex.size(); first = false) {
    if (regex[*at] == ']' && !first) {
      ++*at;
      return others ? ~bytes : bytes;
    }
    if (regex.substr(*at).starts_with("[:")) return std::nullopt;
    const std::optional<RegexBytes> from = ReadRegexByte(regex, at);
    if (!from) return std::nullopt;
    bytes |= *from;
    const bool range = *at + 1 < regex.size() && regex[*at] == '-' && regex[*at + 1] != ']';
    if (!range || from->count() != 1) continue;
    ++*at;
    const std::optional<RegexBytes> to = ReadRegexByte(regex, at);
    if (!to || to->count() != 1) return std::nullopt;
    const size_t low = FirstOf(*from), high = FirstOf(*to);
    if (high < low) return std::nullopt;
    for (size_t c = low; c <= high; ++c) bytes.set(c);
  }
  return std::nullopt;
}

}  // namespace ncclwhy
