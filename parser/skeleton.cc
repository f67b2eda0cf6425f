#include "parser/skeleton.h"

#include <algorithm>

#include "parser/scan.h"

namespace ncclwhy::skeleton {
namespace {

// How long the number is that begins at `at`; 0: none does. `0x` does not belong to it.
size_t NumberAt(std::string_view text, size_t at, bool hex) {
  size_t end = at;
  while (end < text.size() && (hex ? scan::HexValue(text[end]) >= 0 : scan::IsDigit(text[end]))) ++end;
  const bool word = end < text.size() && scan::IsIdentifierChar(text[end]);
  // `12ms` and `1f` without 0x are words.
  return word || end - at > (hex ? kMostHexDigits : kMostDigits) ? 0 : end - at;
}

}  // namespace

// A number begins where a word would: in front of it stands no letter, digit or _.
bool Append(std::string_view text, std::string* shape) {
  const size_t before = shape->size();
  size_t numbers = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    // Not a byte that a shape uses for its marks, and no byte of UTF-8.
    if (c < ' ' || c > '~') return false;
    const bool begins = at == 0 || !scan::IsIdentifierChar(text[at - 1]);
    if (!scan::IsIdentifierChar(c) || !begins) {
      shape->push_back(c);
      ++at;
      continue;
    }
    const bool hex = text.substr(at, 2) == "0x";
    const size_t digits = NumberAt(text, hex ? at + 2 : at, hex);
    if (digits == 0) {
      shape->push_back(c);
      ++at;
      continue;
    }
    if (hex) shape->append("0x");
    shape->push_back(hex ? kHex : kDecimal);
    at += digits + (hex ? 2 : 0);
    ++numbers;
  }
  const size_t size = shape->size() - before;
  // The numbers themselves take no room in the limit: it bounds what is compared.
  return size > 0 && numbers <= kMostNumbers && size - numbers <= kMostBytes;
}

std::string Fill(std::string_view shape, char decimal, size_t decimals, char hex, size_t hexes) {
  std::string text;
  for (const char c : shape) {
    if (c == kDecimal) {
      text.append(decimals, decimal);
    } else if (c == kHex) {
      text.append(hexes, hex);
    } else {
      text.push_back(c);
    }
  }
  return text;
}

}  // namespace ncclwhy::skeleton
