// KnownPlaces: where in NCCL a line was printed, as it stands behind device and milliseconds, letter by letter:
//   sendProxyProgress:1188 NCCL TRACE       misc/socket.cc:484 NCCL WARN       init.cc:89 (ncclCommInitRank) NCCL WARN
// A library has few such places, and comparing is cheaper than parsing. Bounded; forgets what was not seen lately.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/swar.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

class KnownPlaces {
 public:
  // What `text` begins with is put into file, line, function and level of `header`. How long it is, with its last
  // blank; 0: it was not seen lately, nothing was done.
  size_t Recall(std::string_view text, NcclHeader* header) const {
    if (text.size() < kLongest) return 0;
    const Place& p = places_[SlotOf(text)];
    if (p.size == 0 || !swar::Same(p.bytes.data(), text.data(), p.size)) return 0;
    header->file = text.substr(0, p.file_size);
    header->file_line = p.file_line;
    header->function = text.substr(p.function_begin, p.function_size);
    header->level = p.level;
    return p.size;
  }

  // Notes that the parsed `header` has these from the beginning of `text`, up to and with a blank at `size - 1`.
  void Keep(std::string_view text, size_t size, const NcclHeader& header) {
    const bool fits = size >= swar::kLeastSame && size <= kLongest && size <= text.size() && text[size - 1] == ' ';
    if (!fits || header.file.data() != text.data()) return;
    Place& p = places_[SlotOf(text)];
    p.size = static_cast<uint32_t>(size);
    p.file_size = static_cast<uint32_t>(header.file.size());
    p.file_line = header.file_line;
    p.function_size = static_cast<uint32_t>(header.function.size());
    p.function_begin = header.function.empty() ? 0 : static_cast<uint32_t>(header.function.data() - text.data());
    p.level = header.level;
    std::memcpy(p.bytes.data(), text.data(), size);
  }

 private:
  static constexpr size_t kLongest = 64;
  static constexpr size_t kSlots = 32;

  struct Place {
    uint32_t size = 0;
    uint32_t file_size = 0;
    uint32_t file_line = 0;
    uint32_t function_begin = 0;
    uint32_t function_size = 0;
    LogLevel level = LogLevel::kNone;
    std::array<char, kLongest> bytes{};
  };

  // The beginning of the name, and what is near the line's number.
  static size_t SlotOf(std::string_view text) {
    const uint64_t h = (swar::Load(text.data()) ^ swar::Load(text.data() + 8)) * 0x9e3779b97f4a7c15ull;
    return static_cast<size_t>(h >> 59);
  }
  static_assert(kSlots == 1 << 5);

  std::array<Place, kSlots> places_;
};

}  // namespace ncclwhy
