#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace ncclwhy {
namespace {

// Rule lines may be long (a note, a query); the caret's neighbourhood is enough.
constexpr size_t kSnippetWidth = 110;

// The source line and the caret under its `column`-th character.
std::string Snippet(uint32_t line, uint32_t column, std::string_view source) {
  std::string text(source);
  std::replace(text.begin(), text.end(), '\t', ' ');
  // Columns count characters: a byte that goes on with one of UTF-8 (10xxxxxx) belongs to the one before.
  size_t split = 0;
  for (uint32_t n = 1; split < text.size() && n < column; ++n) {
    do ++split;
    while (split < text.size() && (static_cast<uint8_t>(text[split]) & 0xC0) == 0x80);
  }
  std::string before = SanitizeUtf8(std::string_view(text).substr(0, split));
  const std::string after = SanitizeUtf8(std::string_view(text).substr(split));
  // The mistake is in the middle of a long line: its beginning is left out.
  if (const size_t width = DisplayWidth(before); width > kSnippetWidth / 2) {
    before = "…" + before.substr(PrefixOfWidth(before, width - kSnippetWidth / 2).size());
  }
  const std::string_view shown = PrefixOfWidth(after, kSnippetWidth - DisplayWidth(before));
  const std::string margin = fmt::format("{:5}", line);
  return fmt::format("{} | {}{}{}\n{} | {}^", margin, before, shown, shown.size() < after.size() ? "…" : "",
                     std::string(margin.size(), ' '), std::string(DisplayWidth(before), ' '));
}

}  // namespace

std::string FormatDiagnostic(const Diagnostic& d) {
  std::string out = d.file;
  if (d.line != 0) out += fmt::format(":{}:{}", d.line, d.column);
  out += fmt::format(": {}: {}: {}", d.level == Diagnostic::kError ? "error" : "warning", d.code, d.message);
  if (d.line != 0 && !d.snippet.empty()) out += "\n" + Snippet(d.line, d.column, d.snippet);
  if (!d.help.empty()) out += fmt::format("\n  help: {}", d.help);
  return out;
}

std::string FormatDiagnostics(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += FormatDiagnostic(diagnostic) + "\n";
  return out;
}

bool HasErrors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.level == Diagnostic::kError; });
}

}  // namespace ncclwhy
