#include "rules/engine/vocabulary.h"

#include <algorithm>
#include <cstddef>

namespace ncclwhy {
namespace {

constexpr std::array kTemplateNames = {
    std::string_view("host"), std::string_view("rank"), std::string_view("gpu"), std::string_view("pid"),
    std::string_view("peer"), std::string_view("peer_host"), std::string_view("peer_rank"), std::string_view("device"),
    std::string_view("port"), std::string_view("address"), std::string_view("path"), std::string_view("size"),
    std::string_view("size_human"), std::string_view("shm_needed"), std::string_view("errno_text"),
    std::string_view("function"), std::string_view("variable"), std::string_view("value"),
    std::string_view("expected_value"), std::string_view("nearest"), std::string_view("version"),
    std::string_view("other_version"), std::string_view("fixed_in"), std::string_view("limit"),
    std::string_view("interface"), std::string_view("network"), std::string_view("status"),
    std::string_view("status_name"), std::string_view("count"), std::string_view("bytes"),
    std::string_view("other_bytes"), std::string_view("operation"), std::string_view("other_operation"),
    std::string_view("op_count"), std::string_view("comm"), std::string_view("nranks"), std::string_view("ranks_seen"),
    std::string_view("missing_ranks"), std::string_view("exit_code"), std::string_view("signal"),
    std::string_view("xid"), std::string_view("gid"), std::string_view("gid_index"), std::string_view("mtu"),
    std::string_view("bus_id"), std::string_view("library"), std::string_view("symbol"), std::string_view("exception"),
    std::string_view("holder"), std::string_view("text"), std::string_view("timeout_s"), std::string_view("driver"),
    std::string_view("cuda"), std::string_view("magic_text"), std::string_view("who"), std::string_view("reporter"),
    std::string_view("who_host"), std::string_view("places"), std::string_view("stands_in"),
    std::string_view("last_words"),
    // Facts of the environment (rules/catalog/environment).
    std::string_view("cloud"), std::string_view("container"), std::string_view("fabric"), std::string_view("framework"),
    std::string_view("image"), std::string_view("job_id"), std::string_view("launcher"), std::string_view("namespace"),
    std::string_view("pod"), std::string_view("scheduler"), std::string_view("job_name"),
    std::string_view("command_line"),
    // Not printed, but read by the analyzer.
    std::string_view("culprit_rank"), std::string_view("culprit_host"), std::string_view("why"),
    std::string_view("step"), std::string_view("epoch"), std::string_view("epochs"), std::string_view("node_rank"),
    std::string_view("node_workers"), std::string_view("nodes"), std::string_view("workers")};

constexpr std::array kFieldNames = {
#define X(id, name) std::string_view(name),
#include "parser/field_ids.def"
#undef X
};

}  // namespace

bool IsEventKind(std::string_view name) {
  constexpr std::array kNames = {
#define X(id, name, doc) std::string_view(name),
#include "parser/event_kinds.def"
#undef X
  };
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool IsViewNeed(std::string_view name) {
  return name == kNeedsConnections || name.starts_with(std::string(kNeedsConnections) + ":") ||
         name.starts_with(kNeedsDifference) || name.starts_with(kNeedsSetting) ||
         std::find(std::begin(kNeedsOfJob), std::end(kNeedsOfJob), name) != std::end(kNeedsOfJob);
}

bool IsTextNeed(std::string_view name) {
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon + 1 == name.size()) return false;
  return name.substr(0, colon) == kNeedsEvent || IsEventKind(name.substr(0, colon));
}

bool IsTemplateName(std::string_view name) {
  return std::find(kTemplateNames.begin(), kTemplateNames.end(), name) != kTemplateNames.end() ||
         std::find(kFieldNames.begin(), kFieldNames.end(), name) != kFieldNames.end();
}

std::vector<std::string_view> TemplateNames(std::string_view text) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') continue;
    if (i + 1 < text.size() && text[i + 1] == '{') {
      ++i;
      continue;
    }
    const size_t end = text.find('}', i);
    if (end == std::string_view::npos) break;
    std::string_view name = text.substr(i + 1, end - i - 1);
    names.push_back(name.substr(0, name.find('|')));
    i = end;
  }
  return names;
}

}  // namespace ncclwhy
