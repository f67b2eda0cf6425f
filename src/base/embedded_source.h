// EmbeddedSource: data as C++, for the build steps that put it into the program.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/gram_index.h"

namespace ncclwhy {

// Used while the program is built (embed_rules and its like), never when it runs. Not thread-safe.
class EmbeddedSource {
 public:
  // `maker` and `data`: what the first line says it is made by, and of. `header` declares what the source defines.
  // A new one has begun the namespaces that Save ends, so Save is called once, last.
  EmbeddedSource(std::string_view maker, std::string_view data, std::string_view header);

  // `constexpr char NAME[] = "…" "…";`: string literals of some 2,000 bytes each, which every compiler takes (one of
  // megabytes some refuse). What is not printable ASCII becomes `\ooo`, always three digits, so that a digit that
  // follows is no part of it; `?` is escaped against trigraphs. The array is one longer than `bytes`: it ends with a
  // NUL.
  // The names come from the caller, and have to be different; nothing checks that.
  void Bytes(std::string_view name, std::string_view bytes);
  // `constexpr std::array<TYPE, n> NAME`; `row` makes the text of one value.
  // `values` is a vector or a span.
  template <typename Values, typename Row>
  void Table(std::string_view type, std::string_view name, const Values& values, Row row);
  // `row` decides how a number is spelled; here as `17u`, so that no value of 32 bits is taken for a signed one.
  template <typename Values>
  void Numbers(std::string_view type, std::string_view name, const Values& numbers) {
    Table(type, name, numbers, [](const auto& number) { return fmt::format("{}u", number); });
  }
  // `constexpr GramTable NAME`, behind three arrays NAMEFilter, NAMESlots and NAMEEntries that it looks into.
  void Grams(std::string_view name, const GramTable& grams);

  // Ends the source with `definitions`, which tell of what stands before, and writes it. False, with a sentence on
  // standard error: it could not be written.
  bool Save(const std::string& path, std::string_view definitions);

 private:
  // The whole source: some megabytes for the catalogue, written at once.
  std::string text_;
};

template <typename Values, typename Row>
void EmbeddedSource::Table(std::string_view type, std::string_view name, const Values& values, Row row) {
  text_ += fmt::format("constexpr std::array<{}, {}> {} = {{{{", type, values.size(), name);
  constexpr size_t kInLine = 24;
  for (size_t i = 0; i < values.size(); ++i) {
    text_ += i % kInLine == 0 ? "\n" : "";
    text_ += row(values[i]);
    text_ += ',';
  }
  text_ += "}};\n";
}

}  // namespace ncclwhy
