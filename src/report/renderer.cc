#include "report/renderer.h"

#include <algorithm>
#include <array>

namespace ncclwhy {

namespace {

// A new format: a file that defines its function, the declaration in renderer.h, and a row here.
constexpr char kPlain[] = "text/plain; charset=utf-8";
constexpr std::array<Format, 10> kFormats = {{
    {"text", kPlain, ".txt", RenderText},
    {"full", kPlain, "", RenderFull},
    {"json", "application/json", ".json", RenderJson},
    {"markdown", "text/markdown; charset=utf-8", ".md", RenderMarkdown},
    {"html", "text/html; charset=utf-8", ".html", RenderHtml},
    {"sarif", "application/sarif+json", ".sarif", RenderSarif},
    {"junit", "application/xml", ".xml", RenderJunit},
    {"github", kPlain, "", RenderGithub},
    {"summary", kPlain, "", RenderSummary},
    {"trace", "application/json", ".trace", RenderTrace},
}};

}  // namespace

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

const Format* FindFormat(std::string_view name) {
  const auto* const row =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) { return format.name == name; });
  return row == kFormats.end() ? nullptr : row;
}

// What `-o FILE` is written as. `full`, `github` and `summary` have no suffix of their own: no name of a file chooses
// them.
const Format* FormatOfFile(std::string_view path) {
  const auto* const row = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) {
    return !format.suffix.empty() && path.ends_with(format.suffix);
  });
  return row == kFormats.end() ? nullptr : row;
}

}  // namespace ncclwhy
