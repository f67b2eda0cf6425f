#include "analyze/compared_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "analyze/gid_comparison.h"
#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

// More setters than that are "most", which is no sentence of a few words.
constexpr size_t kListedRanks = 6;

std::string_view Value(const TemplateValues& values, const char* name) {
  const auto it = values.find(name);
  return it == values.end() ? std::string_view() : std::string_view(it->second);
}

// "set on rank 2 only, of 4", "set on all 4 ranks", "set on ranks 2, 3; 3 on the others"; empty where ranks are not
// known.
std::string WhoSets(const JobModel& model, std::string_view variable, std::string_view value, bool zh) {
  std::set<int32_t> setters, others;
  std::set<std::string> elsewhere;  // its values on the others, empty where it is not set
  for (const Process& p : model.processes) {
    if (!p.known() || p.lines == 0) continue;
    const int32_t rank = model.RankOf(p.id);
    // A process whose rank is not known could be any of both.
    if (rank < 0) return {};
    const auto it = p.environment.find(variable);
    // As printed: `1` and ` 1` are two values.
    const bool sets = it != p.environment.end() && it->second.first == value;
    (sets ? setters : others).insert(rank);
    if (!sets) elsewhere.insert(it == p.environment.end() ? std::string() : std::string(it->second.first));
  }
  if (setters.empty() || setters.size() + others.size() < 2) return {};
  if (others.empty()) {
    return fmt::format(fmt::runtime(zh ? "全部 {} 个 rank 都如此设置" : "set on all {} ranks"), setters.size());
  }
  if (setters.size() > kListedRanks) return {};
  std::string list;
  for (const int32_t rank : setters) list += (list.empty() ? "" : ", ") + std::to_string(rank);
  const size_t all = setters.size() + others.size();
  // All others set it as well, to something else.
  if (!elsewhere.contains("")) {
    const std::string other = elsewhere.size() == 1 ? *elsewhere.begin() : "…";
    if (zh) return fmt::format("rank {} 如此设置；其他 rank 为 {}", list, other);
    return fmt::format("on {} {}; it is {} on the others", setters.size() > 1 ? "ranks" : "rank", list, other);
  }
  if (zh) return fmt::format("{} 个 rank 中只有 rank {} 如此设置", all, list);
  return fmt::format("set on {} {} only, of {}", setters.size() > 1 ? "ranks" : "rank", list, all);
}

// Of the process that sets `variable` (to `value`, unless that is empty), a culprit before others; nothing when no line
// tells that one does.
std::optional<Evidence> SettingLine(const CaseFile& c, std::string_view variable, std::string_view value,
                                    const std::vector<Culprit>& culprits) {
  const Process* shown = nullptr;
  for (const Process& p : c.model.processes) {
    const auto it = p.environment.find(variable);
    if (it == p.environment.end() || it->second.second.line == 0 || (!value.empty() && it->second.first != value)) {
      continue;
    }
    // By pid and host, since a rank may have had several processes.
    const bool blamed = !culprits.empty() && culprits.front().pid == p.pid && culprits.front().host == p.host;
    if (shown == nullptr || blamed) shown = &p;
  }
  if (shown == nullptr) return std::nullopt;
  const auto& [said, place] = shown->environment.find(variable)->second;
  Evidence e = PlaceEvidence(c.model, place, "supporting");
  e.note = WhoSets(c.model, variable, said, c.language == Language::kChinese);
  return e;
}

bool IsVariableByte(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::string GidClause(const CaseFile& c, const TemplateValues& values) {
  if (Value(values, "gid_index").empty()) return {};
  const auto difference = CompareGids(c.model, Value(values, "host"), c.language);
  return difference ? difference->clause : std::string();
}

std::vector<Evidence> ComparedEvidence(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  std::vector<Evidence> out;
  const TemplateValues values = CaseValues(c, h, culprits);
  // Only where it is worth a sentence: who sets it is known.
  if (const std::string_view variable = Value(values, "variable"); !variable.empty()) {
    std::optional<Evidence> e = SettingLine(c, variable, Value(values, "value"), culprits);
    if (e && !e->note.empty()) out.push_back(std::move(*e));
  }
  if (Value(values, "gid_index").empty()) return out;
  if (const auto difference = CompareGids(c.model, Value(values, "host"), c.language)) {
    Evidence e = PlaceEvidence(c.model, difference->other.place, "supporting");
    e.note = fmt::format(
        fmt::runtime(c.language == Language::kChinese ? "{} 上：GID index {}，{}" : "on {}: GID index {}, {}"),
        difference->other.host, difference->other.index, difference->other.gid.text);
    if (!difference->other.gid.text.empty()) out.push_back(std::move(e));
  }
  return out;
}

std::vector<Evidence> SettingsOfFix(const CaseFile& c, const Cause& cause) {
  std::vector<Evidence> out;
  if (cause.fixes.empty()) return out;
  const std::string said = cause.fixes.front().text + ' ' + cause.fixes.front().command;
  std::set<std::string_view> told;
  for (size_t begin = 0; begin < said.size();) {
    size_t end = begin;
    while (end < said.size() && IsVariableByte(said[end])) ++end;
    // A word of capitals with an underscore in it is a variable, whatever else the text is.
    const std::string_view name = std::string_view(said).substr(begin, end - begin);
    begin = end + 1;
    if (name.find('_') == std::string_view::npos || !told.insert(name).second) continue;
    if (std::optional<Evidence> e = SettingLine(c, name, {}, cause.culprits)) out.push_back(std::move(*e));
  }
  return out;
}

}  // namespace ncclwhy
