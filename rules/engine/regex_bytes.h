// RegexBytes: the bytes that one place of a regex takes, as RE2 reads them in Latin-1.
//   a   \d   [0-9a-f]   [^|\n]   \x7f
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ncclwhy {

using RegexBytes = std::bitset<256>;

// A byte, or what is written with a backslash. `at` is put behind it. Nothing: it is no form that is known here
// (`\pN`); `at` is anywhere then.
std::optional<RegexBytes> ReadRegexByte(std::string_view regex, size_t* at);

// What is written in brackets; `at` is on the first one. Nothing as above, also for `[[:alpha:]]`.
std::optional<RegexBytes> ReadRegexClass(std::string_view regex, size_t* at);

}  // namespace ncclwhy
