#include "rules/engine/vocabulary.h"

#include <algorithm>
#include <cstddef>

#include "kb/loader/template.h"

namespace ncclwhy {
namespace {

// What the analysis makes by itself (MADE) no rule may give.
constexpr std::string_view kGivenNames[] = {
#define SAID(name, kind) #name,
#define MADE(name, kind)
#define KEPT(name) #name,
#include "kb/loader/template_names.def"
#undef SAID
#undef MADE
#undef KEPT
};

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
  //    event:No device found     result_trace:init.cc:
  return name.substr(0, colon) == kNeedsEvent || IsEventKind(name.substr(0, colon));
}

bool IsTemplateName(std::string_view name) {
  return std::find(std::begin(kGivenNames), std::end(kGivenNames), name) != std::end(kGivenNames) ||
         std::find(kFieldNames.begin(), kFieldNames.end(), name) != kFieldNames.end();
}

std::vector<std::string_view> TemplateNames(std::string_view text) {
  std::vector<std::string_view> names;
  ForEachPlace(text, [&](const TemplatePlace& place, size_t) { names.push_back(place.name); });
  return names;
}

std::optional<std::string> WithValues(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  size_t copied = 0;
  bool whole = true;
  ForEachPlace(text, [&](const TemplatePlace& place, size_t at) {
    const auto value = values.find(std::string(place.name));
    if (value == values.end()) {
      whole = false;
      return;
    }
    out.append(text, copied, at - copied);
    out += value->second;
    copied = at + place.size;
  });
  if (!whole) return std::nullopt;
  return out.append(text.substr(copied));
}

}  // namespace ncclwhy
