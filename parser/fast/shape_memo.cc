#include "parser/fast/shape_memo.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ncclwhy {

void ShapeMemo::Keep(LogLevel level, std::string_view head, std::string_view shape, int message,
                     const std::vector<std::string>& words) {
  const auto is_letter = [](char c) { return !skeleton::IsNumber(c); };
  const size_t letters = head.size() + static_cast<size_t>(std::count_if(shape.begin(), shape.end(), is_letter));
  if (full() || letters < sizeof(uint64_t) || !AddWords(words)) return;
  if (entries_.empty()) first_.fill(kNone);
  Entry e;
  e.level = level;
  e.first = static_cast<uint32_t>(pieces_.size());
  e.head = static_cast<uint32_t>(head.size());
  e.message = message;
  Piece piece;
  const auto flush = [&](char number) {
    piece.number = number;
    pieces_.push_back(piece);
    piece = {};
  };
  const auto add = [&](char c) {
    if (piece.size == kPiece) flush(0);
    piece.bytes[piece.size++] = c;
  };
  std::string beginning(head.substr(0, sizeof(uint64_t)));
  for (const char c : head) add(c);
  for (const char c : shape) {
    // A number is as good as its first digit: the letters in front of it are looked at.
    if (beginning.size() < sizeof(uint64_t)) beginning.push_back(skeleton::IsNumber(c) ? '0' : c);
    if (skeleton::IsNumber(c)) {
      flush(c);
    } else {
      add(c);
    }
  }
  if (piece.size > 0) flush(0);
  beginning.resize(sizeof(uint64_t), '0');
  e.count = static_cast<uint32_t>(pieces_.size()) - e.first;
  uint32_t& slot = first_[SlotOf(level, beginning.data())];
  e.next = slot;
  slot = static_cast<uint32_t>(entries_.size());
  entries_.push_back(e);
}

// False: they cannot be looked for.
bool ShapeMemo::AddWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.size() < sizeof(uint32_t)) return false;
    uint32_t four = 0;
    for (size_t i = 0; i < sizeof(uint32_t); ++i)
      four |= static_cast<uint32_t>(static_cast<uint8_t>(word[i])) << (8 * i);
    if (std::find(words_.begin(), words_.end(), four) != words_.end()) continue;
    if (words_.size() == kMostWords) return false;
    words_.push_back(four);
  }
  return true;
}

}  // namespace ncclwhy
