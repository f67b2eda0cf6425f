#include "base/literal_text.h"

#include <cstdint>
#include <cstdio>
#include <string>

namespace ncclwhy {

void WriteLiteral(std::ostream& out, std::string_view name, std::string_view bytes) {
  out << "constexpr char " << name << "[] =\n";
  std::string line;
  size_t in_line = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\' || c == '?') {
      line += '\\';
      line += c;
    } else if (byte >= 0x20 && byte < 0x7F) {
      line += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(byte));
      line += octal;
    }
    if (++in_line == 2000) {
      out << '"' << line << "\"\n";
      line.clear();
      in_line = 0;
    }
  }
  out << '"' << line << "\";\n";
}

}  // namespace ncclwhy
