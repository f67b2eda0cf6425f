#include "store/json_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace ncclwhy {
namespace {

// Longer integers would lose digits as SQLite numbers.
constexpr size_t kDigits = 18;

bool IsPlainInteger(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  if (text.empty() || text.size() > kDigits || (text[0] == '0' && text.size() > 1)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void AppendEscaped(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      *out += "\\u00";
      *out += kHex[static_cast<unsigned char>(c) >> 4];
      *out += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      *out += c;
    }
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  AppendEscaped(ascii ? text : std::string_view(SanitizeUtf8(text)), out);
  *out += '"';
}

void AppendJsonValue(std::string_view text, std::string* out) {
  // -0 would come back as 0; a leading zero is not JSON, and belongs to a name (`rank 007`).
  if (IsPlainInteger(text) && text != "-0") {
    *out += text;
  } else {
    AppendJsonString(text, out);
  }
}

std::string JsonObject(const std::map<std::string, std::string>& members) {
  std::string out = "{";
  for (const auto& [name, value] : members) {
    if (out.size() > 1) out += ',';
    AppendJsonString(name, &out);
    out += ':';
    AppendJsonValue(value, &out);
  }
  return out + "}";
}

}  // namespace ncclwhy
