#include "parser/typewritten.h"

#include <algorithm>

#include "base/utf8.h"

namespace ncclwhy {
namespace {

// What a code point was typed as; empty: it stays.
std::string_view TypedAs(char32_t c) {
  switch (c) {
    case U'\u00A0':  // does not break
    case U'\u202F':
    case U'\u3000':  // of full width
      return " ";
    case U'\u2018':
    case U'\u2019':
    case U'\u201A':
    case U'\u201B':
    case U'\u2032':
      return "'";
    case U'\u201C':
    case U'\u201D':
    case U'\u201E':
    case U'\u2033':
      return "\"";
    case U'\u2010':
    case U'\u2011':
    case U'\u2012':
    case U'\u2013':
    case U'\u2212':
      return "-";
    case U'\u2014':  // two hyphens, to a word processor
      return "--";
    case U'\u2026':
      return "...";
    case U'\u3001':
      return ",";
    case U'\u3002':
      return ".";
    case U'\u3010':
      return "[";
    case U'\u3011':
      return "]";
    default:
      return c >= U'\u2000' && c <= U'\u200A' ? std::string_view(" ") : std::string_view();
  }
}

}  // namespace

Typewritten AsTypewritten(std::string_view text) {
  constexpr char32_t kFullFirst = U'\uFF01', kFullLast = U'\uFF5E';
  Typewritten out;
  std::string typed;
  while (!text.empty()) {
    if (static_cast<signed char>(text[0]) >= 0) {
      const auto other = std::find_if(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) < 0; });
      const auto plain = static_cast<size_t>(other - text.begin());
      typed += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    char32_t c = 0;
    const size_t size = std::max<size_t>(DecodeUtf8(text, &c), 1);  // a byte that decodes to nothing stays
    if (c >= kFullFirst && c <= kFullLast && size > 1) {
      typed += static_cast<char>(c - kFullFirst + '!');
      ++out.changes;
    } else if (const std::string_view was = size > 1 ? TypedAs(c) : std::string_view(); !was.empty()) {
      typed += was;
      ++out.changes;
    } else {
      typed += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  if (out.changes > 0) out.text = std::move(typed);
  return out;
}

}  // namespace ncclwhy
