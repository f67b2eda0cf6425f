#include "rules/engine/literals_of_shape.h"

#include <algorithm>
#include <array>

#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

using skeleton::IsNumber;
using skeleton::MayHold;

class Shape {
 public:
  explicit Shape(std::string_view text) : text_(text) {
    for (const char c : text) {
      if (!IsNumber(c)) {
        may_hold_[static_cast<uint8_t>(c)] = true;
        continue;
      }
      has_hex_ = has_hex_ || c == skeleton::kHex;
      for (const char digit : std::string_view("0123456789abcdefABCDEF")) {
        if (MayHold(c, digit)) may_hold_[static_cast<uint8_t>(digit)] = true;
      }
    }
  }

  // Bytes of most literals are nowhere in it.
  bool MayHoldBytesOf(std::string_view literal) const {
    for (const char c : literal) {
      if (!may_hold_[static_cast<uint8_t>(c)]) return false;
    }
    return true;
  }

  // `literal` is not a part of a hexadecimal number.
  bool MayHoldText(std::string_view literal) const {
    for (size_t at = 0; at < text_.size(); ++at) {
      if (Continues(at, literal)) return true;
    }
    return false;
  }

  // The same of a literal that hexadecimal numbers may hold.
  bool MayHoldOutsideHex(std::string_view literal) const {
    for (size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] != skeleton::kHex && Continues(at, literal)) return true;
    }
    return false;
  }

  bool has_hex() const { return has_hex_; }

 private:
  // A number takes a digit of the literal and may go on, or end there.
  bool Continues(size_t at, std::string_view literal) const {
    if (literal.empty()) return true;
    if (at == text_.size()) return false;
    const char c = text_[at];
    if (!IsNumber(c)) return c == literal[0] && Continues(at + 1, literal.substr(1));
    return MayHold(c, literal[0]) && (Continues(at, literal.substr(1)) || Continues(at + 1, literal.substr(1)));
  }

  std::string_view text_;
  std::array<bool, 256> may_hold_{};
  bool has_hex_ = false;
};

//    c10d, bad, 12, feed
bool IsHexWord(std::string_view literal) {
  return std::all_of(literal.begin(), literal.end(), [](char c) { return MayHold(skeleton::kHex, c); });
}

}  // namespace

bool MayHoldLiteral(const PatternTable& patterns, LogLevel level, std::string_view shape,
                    std::vector<std::string>* words) {
  const Shape text(shape);
  bool may = false;
  // ` done` of a program's last words is none of NCCL's `request 0x7f0000006b00 done`.
  const auto is_asked = [&](std::span<const uint32_t> of) {
    return std::any_of(of.begin(), of.end(), [&](uint32_t number) {
      const LinePattern& pattern = *patterns.entry(number).pattern;
      const auto any_or_has = [](const auto& values, auto value) {
        return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
      };
      return any_or_has(pattern.levels, level) && any_or_has(pattern.dialects, Dialect::kNccl);
    });
  };
  patterns.literals().ForEach([&](std::string_view literal, std::span<const uint32_t> of) {
    if (may || !text.MayHoldBytesOf(literal)) return;
    if (!text.has_hex() || !IsHexWord(literal)) {
      may = text.MayHoldText(literal) && is_asked(of);
      return;
    }
    // A hexadecimal number has neither digit nor letter beside it but the x of its 0x: a part of the literal cannot
    // stand outside.
    if (!is_asked(of)) return;
    may = text.MayHoldOutsideHex(literal);
    if (!may && std::find(words->begin(), words->end(), literal) == words->end()) words->emplace_back(literal);
  });
  return may;
}

}  // namespace ncclwhy
