#include "report/renderer.h"

#include <array>

namespace ncclwhy {
namespace {

struct Row {
  Format format;
  std::string_view name;
  std::string (*render)(const Report&, const RenderOptions&);
};
constexpr std::array<Row, 9> kRows = {{
    {Format::kText, "text", RenderText},
    {Format::kFull, "full", RenderFull},
    {Format::kJson, "json", RenderJson},
    {Format::kMarkdown, "markdown", RenderMarkdown},
    {Format::kHtml, "html", RenderHtml},
    {Format::kSarif, "sarif", RenderSarif},
    {Format::kJunit, "junit", RenderJunit},
    {Format::kGithub, "github", RenderGithub},
    {Format::kSummary, "summary", RenderSummary},
}};

}  // namespace

std::optional<Format> FormatFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.format;
  }
  return std::nullopt;
}

std::string_view FormatName(Format format) { return kRows[static_cast<size_t>(format)].name; }

std::string Render(const Report& report, Format format, const RenderOptions& options) {
  return kRows[static_cast<size_t>(format)].render(report, options);
}

}  // namespace ncclwhy
