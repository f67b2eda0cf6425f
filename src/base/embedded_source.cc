#include "base/embedded_source.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

namespace ncclwhy {

EmbeddedSource::EmbeddedSource(std::string_view maker, std::string_view data, std::string_view header)
    : text_(fmt::format("// Made by {} from {}. Do not edit.\n#include <array>\n\n#include \"{}\"\n\n"
                        "namespace ncclwhy {{\nnamespace {{\n\n",
                        maker, data, header)) {}

void EmbeddedSource::Bytes(std::string_view name, std::string_view bytes) {
  text_ += fmt::format("constexpr char {}[] =\n\"", name);
  size_t in_line = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    // A new literal, which the compiler joins to the one before.
    if (in_line++ == 2000) {
      text_ += "\"\n\"";
      in_line = 1;
    }
    // `??=` would be a trigraph to an old compiler.
    if (c == '"' || c == '\\' || c == '?') {
      text_ += '\\';
      text_ += c;
    } else if (byte >= 0x20 && byte < 0x7F) {
      text_ += c;
    } else {
      text_ += fmt::format("\\{:03o}", byte);
    }
  }
  text_ += "\";\n";
}

void EmbeddedSource::Grams(std::string_view name, const GramTable& grams) {
  const std::string own(name);
  Numbers("uint32_t", own + "Filter", grams.filter);
  Numbers("uint32_t", own + "Slots", grams.slots);
  Table("GramEntry", own + "Entries", grams.entries,
        [](const GramEntry& e) { return fmt::format("{{{}u,{},{},{}}}", e.bytes, e.text, e.offset, e.unused); });
  text_ += fmt::format("constexpr GramTable {0} = {{{0}Filter, {0}Slots, {0}Entries}};\n", name);
}

// close() before the test: what a full disk has to say may come with the last bytes only.
bool EmbeddedSource::Save(const std::string& path, std::string_view definitions) {
  text_ += fmt::format("\n}}  // namespace\n\n{}\n}}  // namespace ncclwhy\n", definitions);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text_;
  out.close();
  if (!out) std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
  return static_cast<bool>(out);
}

}  // namespace ncclwhy
