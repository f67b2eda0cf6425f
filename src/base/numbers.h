// Numbers out of untrusted text: never throw, never read past the end.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ncclwhy {

// The whole text as an integer; nothing when it is not one or does not fit. No blanks, no `+`, no `0x`, also with base
// 16; a `-` only where T is signed.
//    "4711" 4711   "007" 7   " 7", "7 ", "+7", "0x7", "" nothing   "70000" nothing where T is uint16_t
template <typename T = int64_t>
std::optional<T> ParseInt(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// "33030532" bytes → "31.5 MiB": 31.5 and "MiB". How many digits are shown is up to who prints. Below 1 KiB the unit is
// "B".
struct HumanBytes {
  double value;
  const char* unit;
};
// Powers of 1024 up to EiB. `unit` lives as long as the program.
HumanBytes ToHumanBytes(uint64_t bytes);

}  // namespace ncclwhy
