#include "report/shown_output.h"

#include <fmt/format.h>

#include "report/phrases.h"

namespace ncclwhy {
namespace {

// Whether `tool` stands where a command begins: first, or behind `;`, `|` or `&`.
bool Calls(std::string_view command, std::string_view tool) {
  for (size_t at = command.find(tool); at != std::string_view::npos; at = command.find(tool, at + 1)) {
    const size_t end = at + tool.size();
    const bool whole = end == command.size() || std::string_view(" ;|&").find(command[end]) != std::string_view::npos;
    const size_t before = at == 0 ? std::string_view::npos : command.find_last_not_of(' ', at - 1);
    const bool begins =
        before == std::string_view::npos || std::string_view(";|&").find(command[before]) != std::string_view::npos;
    if (whole && begins) return true;
  }
  return false;
}

}  // namespace

std::string ShownSentence(const Report& report, std::string_view command, std::string_view folder, const Words& words) {
  for (const EnvironmentFact& fact : report.job.environment) {
    if (fact.name != "output" || fact.line == 0 || !Calls(command, fact.value)) continue;
    std::string place = FileLine(fact.file, fact.line);
    if (place.starts_with(folder)) place.erase(0, folder.size());
    return fmt::format(fmt::runtime(words.shown_already), fact.value, place);
  }
  return {};
}

}  // namespace ncclwhy
