// A line as printf would write it for a format of the catalogue, with plausible values.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// `variant` changes the values: 0 short, 1 long, negative and padded.
inline std::string RenderFormat(std::string_view format, int variant) {
  const bool other = variant != 0;
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '{' && i + 4 < format.size() && format[i + 1] >= 'A' && format[i + 1] <= 'Z') {
      size_t end = i + 1;
      while (end < format.size() && ((format[end] >= 'A' && format[end] <= 'Z') || format[end] == '_')) ++end;
      if (end - i > 4 && end < format.size() && format[end] == '}') {  // {NCCL_MAJOR}
        out += other ? "28" : "2";
        i = end;
        continue;
      }
    }
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    size_t k = i + 1;
    while (k < format.size() && std::string_view("-+ #0123456789.*hlLqjzt").find(format[k]) != std::string_view::npos)
      ++k;
    if (k == format.size()) {
      out += format.substr(i);
      break;
    }
    switch (format[k]) {
      case '%':
        out += '%';
        break;
      case 'd':
      case 'i':
        out += other ? "  -1234567" : "3";
        break;
      case 'u':
      case 'o':
        out += other ? "4294967295" : "7";
        break;
      case 'x':
        out += other ? "ffffc0a82100" : "1b000";
        break;
      case 'X':
        out += other ? "FFFFC0A82100" : "1B000";
        break;
      case 'p':
        out += other ? "(nil)" : "0x55d3c8e0a2f0";
        break;
      case 'c':
        out += other ? "'" : "s";
        break;
      case 'f':
      case 'g':
        out += other ? "1.25e+03" : "48.000000";
        break;
      default:
        out += other ? "10.42.7.91<41243>" : "mlx5_0";
        break;
    }
    i = k;
  }
  return out;
}

}  // namespace ncclwhy
