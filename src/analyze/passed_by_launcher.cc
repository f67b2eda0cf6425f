#include "analyze/passed_by_launcher.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ncclwhy {
namespace {

// Read by the launcher itself, which hands nothing of them to itself.
constexpr std::array<std::string_view, 6> kOfLaunchers = {"OMPI_", "PRTE_", "PMIX_", "I_MPI_", "HYDRA_", "MPICH_"};

constexpr std::string_view kExport = "export ";
constexpr std::string_view kOwnCommand = "COMMAND";

bool IsName(std::string_view word) {
  return !word.empty() && !IsDigit(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_'; });
}

// "export A=b C=d": its pairs; empty where it is anything else.
// "A=b COMMAND" is "A=b" in front of the job's own command.
std::vector<std::pair<std::string_view, std::string_view>> Settings(std::string_view command) {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (const std::string_view word : SplitWords(command)) {
    if (out.empty() && word == "export") continue;
    if (!out.empty() && word == kOwnCommand && word.data() + word.size() == command.data() + command.size()) break;
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || !IsName(word.substr(0, equals))) return {};
    if (word.find_first_of("'\"$`;&|(") != std::string_view::npos) return {};
    const auto own = [&](std::string_view prefix) { return word.starts_with(prefix); };
    if (std::any_of(kOfLaunchers.begin(), kOfLaunchers.end(), own)) return {};
    out.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

void Replace(std::string* text, std::string_view what, std::string_view by) {
  if (const size_t at = text->find(what); at != std::string::npos) text->replace(at, what.size(), by);
}

}  // namespace

std::string PassedByLauncher(const KnowledgeBase& kb, const JobEnvironment& environment, const std::string& command) {
  const size_t comment = std::min(command.find("  #"), command.size());
  const auto settings = Settings(std::string_view(command).substr(0, comment));
  if (settings.empty()) return command;
  const bool before = command.find(kOwnCommand) != std::string::npos;  // A=b COMMAND
  const std::string exported = before || command.starts_with(kExport) ? command : std::string(kExport) + command;
  // Their ranks have what the shell or the batch script set.
  if (environment.Shows("srun") || environment.Shows("torchrun")) return exported;
  for (const std::string& word : environment.words) {
    const auto known = kb.FindCode("environment", word, Language::kEnglish);
    if (!known || !known->more.contains("passes") || !known->more.contains("starter")) continue;
    std::string out = known->more.at("starter");
    for (const auto& [name, value] : settings) {
      std::string one = known->more.at("passes");
      Replace(&one, "NAME", name);
      Replace(&one, "VALUE", value);
      out += " " + one;
    }
    return out + " \xE2\x80\xA6" + command.substr(comment);  // …
  }
  return exported;
}

std::string WithStackTool(const KnowledgeBase& kb, const JobEnvironment& environment, std::string command) {
  constexpr std::string_view kTools[] = {"py-spy dump --native --pid ", "py-spy dump --pid "};
  if (environment.Shows("torchrun")) return command;  // nccl-tests ran in front of it
  for (const std::string& word : environment.words) {
    const auto known = kb.FindCode("environment", word, Language::kEnglish);
    if (!known || !known->more.contains("stack")) continue;
    for (const std::string_view tool : kTools) {
      const size_t at = command.find(tool);
      if (at == std::string::npos) continue;
      const size_t end = std::min(command.find_first_of(" ;", at + tool.size()), command.size());
      std::string by = known->more.at("stack");
      Replace(&by, "PID", command.substr(at + tool.size(), end - at - tool.size()));
      command.replace(at, end - at, by);
    }
    break;
  }
  return command;
}

}  // namespace ncclwhy
