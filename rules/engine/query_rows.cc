#include "rules/engine/query_rows.h"

#include <fmt/format.h>

#include <charconv>

#include "base/json.h"

namespace ncclwhy {
namespace {

template <typename T>
bool ToNumber(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

//    {"ib.retry-exceeded": 5}, as json_object makes it
bool ReadCauses(const std::string& text, std::vector<Weight>* causes) {
  const auto root = JsonValue::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return false;
  for (const auto& item : root.items()) {
    if (!item.value().is_number()) return false;
    causes->push_back({item.key(), item.value().get<double>()});
  }
  return true;
}

// A source is named, or numbered as in the timeline (SourceId).
SourceId FindSource(const JobModel& model, const std::string& text) {
  for (uint32_t i = 0; i < model.sources.size(); ++i) {
    if (model.sources[i]->name == text) return SourceId{i};
  }
  uint32_t number = 0;
  if (ToNumber(text, &number) && number < model.sources.size()) return SourceId{number};
  return {};
}

// The only process that fits what the row says.
ProcessId FindProcess(const JobModel& model, const QueryHit& hit, int64_t pid) {
  ProcessId found;
  for (const Process& process : model.processes) {
    if (pid >= 0 && process.pid != pid) continue;
    if (!hit.host.empty() && ShortHost(process.host) != ShortHost(hit.host)) continue;
    if (hit.where.rank >= 0 && model.RankOf(process.id) != hit.where.rank) continue;
    // Two fit: neither is meant for sure.
    if (found.valid()) return {};
    found = process.id;
  }
  return found;
}

}  // namespace

QueryHit ReadQueryRow(const QueryRow& row, const JobModel& model, std::string* problem) {
  QueryHit hit;
  int64_t pid = -1;
  const auto bad = [&](const std::string& name, const std::string& value) {
    if (problem->empty()) *problem = fmt::format("column {} is \"{}\"", name, value);
  };
  for (const auto& [name, value] : row.columns) {
    if (name == "rank") {
      if (!ToNumber(value, &hit.where.rank)) bad(name, value);
    } else if (name == "host") {
      hit.host = value;
    } else if (name == "pid") {
      if (!ToNumber(value, &pid)) bad(name, value);
    } else if (name == "source") {
      hit.where.source = FindSource(model, value);
    } else if (name == "line") {
      if (!ToNumber(value, &hit.where.line)) bad(name, value);
    } else if (name == "text") {
      hit.text = value;
    } else if (name == "causes") {
      hit.has_causes = ReadCauses(value, &hit.causes);
      if (!hit.has_causes) bad(name, value);
    } else {
      hit.fields.emplace_back(name, value);
    }
  }
  // By what the row names; its line may be anybody's.
  if (hit.where.rank >= 0 || pid >= 0 || !hit.host.empty()) hit.where.process = FindProcess(model, hit, pid);
  if (hit.where.process.valid()) {
    const Process& process = model.processes[hit.where.process.value];
    // A host alone may happen to have one process; that does not make the finding that process's.
    if (hit.where.rank < 0 && pid < 0) {
      hit.where.process = ProcessId();
    } else {
      if (hit.where.rank < 0) hit.where.rank = model.RankOf(process.id);
      if (hit.host.empty()) hit.host = std::string(process.host);
    }
  }
  // A source alone is no place to show.
  if (hit.where.source.valid() && hit.where.line == 0 && hit.text.empty()) hit.where.source = SourceId();
  return hit;
}

}  // namespace ncclwhy
