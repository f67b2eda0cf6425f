// ShapeMemo: lines of which only the numbers are new, and which need nothing but to be counted, whatever these are:
//   36400.137000 sendProxyProgress:1188 NCCL TRACE sendProxy [364/4] request 0x7f0000006b00 done
//   |----------||---------- head -----------------||-------------- body -----------------------|
// Their words are compared, their numbers skipped: neither recognizer nor sink sees them. Who keeps a shape answers for
// it (ShapeLearner). Bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/swar.h"
#include "parser/event.h"
#include "parser/skeleton.h"

namespace ncclwhy {

class ShapeMemo {
 public:
  // How many bytes of a line behind its known header Recall may look at.
  static constexpr size_t kReach = 256;

  struct Line {
    int message = -1;
    size_t body = 0;  // where it begins behind the known header
    size_t size = 0;  // head and body
  };

  // Whether `text`, which stands behind a known header of this level, begins with a known line and its newline. kReach
  // bytes can be read there.
  bool Recall(LogLevel level, const char* text, Line* line) const {
    if (entries_.empty()) return false;
    const char* begin = text;
    if (level == LogLevel::kNone) {
      begin += MillisecondsAt(text);
      if (begin == text) return false;
    }
    for (uint32_t i = first_[SlotOf(level, begin)]; i != kNone; i = entries_[i].next) {
      const Entry& e = entries_[i];
      if (e.level != level) continue;
      const char* const end = Walk(e, begin, text + kReach);
      if (end == nullptr || end == text + kReach || *end != '\n') continue;
      line->message = e.message;
      line->body = static_cast<size_t>(begin - text) + e.head;
      line->size = static_cast<size_t>(end - text);
      return true;
    }
    return false;
  }

  bool full() const { return entries_.size() >= kMost; }

  // `head` is what stands between the milliseconds, or the known header, and the body; letter by letter. Lines with one
  // of the `words` in a hexadecimal number are not known.
  void Keep(LogLevel level, std::string_view head, std::string_view shape, int message,
            const std::vector<std::string>& words);

  // How long the `136.580392 ` of a TRACE line is that `text` begins with; 0: there is none, or a longer one.
  static size_t MillisecondsAt(const char* text) {
    const size_t whole = swar::DecimalDigits(text);
    const size_t point = swar::Guess(whole);
    if (point == 0 || point > skeleton::kMostDigits || text[point] != '.') return 0;
    const size_t fraction = swar::DecimalDigits(text + point + 1);
    const size_t end = point + 1 + fraction;
    return fraction > 0 && fraction <= skeleton::kMostDigits && text[end] == ' ' ? end + 1 : 0;
  }

 private:
  static constexpr size_t kMost = 256;
  static constexpr size_t kSlots = 64;
  static constexpr size_t kMostWords = 4;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kPiece = 16;

  // Up to sixteen letters, and a number behind them.
  struct alignas(kPiece) Piece {
    std::array<char, kPiece> bytes{};
    uint32_t size = 0;
    char number = 0;  // kDecimal, kHex or none
  };
  struct Entry {
    LogLevel level = LogLevel::kNone;
    uint32_t first = 0;  // of pieces_
    uint32_t count = 0;
    uint32_t head = 0;
    uint32_t next = kNone;  // entry of the same slot
    int message = -1;
  };

  // The letters of the first eight bytes that stand in front of a digit.
  static size_t SlotOf(LogLevel level, const char* text) {
    const uint64_t word = swar::Load(text);
    const size_t letters = swar::Letters(word);
    const uint64_t known = letters < 8 ? word & ((uint64_t{1} << (8 * letters)) - 1) : word;
    return static_cast<size_t>((known + static_cast<uint64_t>(level)) * 0x9e3779b97f4a7c15ull >> 58);
  }
  static_assert(kSlots == 1 << 6);

  bool AddWords(const std::vector<std::string>& words);

  // Where a text that begins at `p` with the words and any numbers of `e` ends, or null.
  const char* Walk(const Entry& e, const char* p, const char* limit) const {
    const Piece* piece = pieces_.data() + e.first;
    for (const Piece* const end = piece + e.count; piece != end; ++piece) {
      if (limit - p < static_cast<ptrdiff_t>(3 * kPiece)) return nullptr;
      if (!swar::SameHead(piece->bytes.data(), p, piece->size)) return nullptr;
      p += piece->size;
      if (piece->number == 0) continue;
      const bool hex = piece->number == skeleton::kHex;
      const size_t digits = swar::Guess(hex ? swar::HexDigits(p) : swar::DecimalDigits(p));
      if (digits == 0 || digits > (hex ? skeleton::kMostHexDigits : skeleton::kMostDigits)) return nullptr;
      if (hex && HoldsWord(p)) return nullptr;
      p += digits;
    }
    return p;
  }

  // Whether one of the words begins in the sixteen bytes at `p`. More than the number is looked at: that costs a line
  // now and then.
  bool HoldsWord(const char* p) const {
    for (const uint32_t word : words_) {
      if (swar::HoldsFour(p, word)) return true;
    }
    return false;
  }

  std::array<uint32_t, kSlots> first_{};
  std::vector<uint32_t> words_;  // four bytes of each
  std::vector<Entry> entries_;
  std::vector<Piece> pieces_;
};

}  // namespace ncclwhy
