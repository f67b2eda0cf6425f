#include "rules/engine/query_needs.h"

#include <algorithm>

#include "base/text.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {

QueryNeeds::QueryNeeds(const RuleList& rules, const JobModel& model, const std::vector<Finding>& findings,
                       const ViewNames& views)
    : model_(model), views_(views) {
  for (const SourceFacts* source : model.sources) {
    for (const Event& e : source->events) ++kinds_[e.kind];
    for (const ConnectionFacts& c : source->connections) transports_.emplace(source->Str(c.transport));
  }
  // As lines, not as findings: "two ranks complain" may be one finding with a repeat.
  for (const Finding& f : findings) rules_[rules[f.rule.value].id] += 1 + f.repeats;
}

bool QueryNeeds::AreMetFor(const Rule& rule) const {
  const auto is_there = [&](std::string_view need) { return Count(need, 1) > 0; };
  for (const std::string_view need : rule.needs_each) {
    if (!AnyAlternative(need, is_there)) return false;
  }
  if (rule.needs.empty()) return true;
  uint64_t found = 0;
  for (const std::string_view need : rule.needs) {
    if ((found += Count(need, rule.min_needs - found)) >= rule.min_needs) return true;
  }
  return false;
}

uint64_t QueryNeeds::Count(std::string_view need, uint64_t enough) const {
  if (IsViewNeed(need)) {
    // "connection", "connection:NET/Socket"; not "connection-refused", which is a rule.
    if (!need.starts_with(kNeedsConnections)) return views_.count(need);
    return AnyConnection(need.substr(kNeedsConnections.size())) ? 1 : 0;
  }
  //    result_trace:init.cc:     event:Xid
  if (need.find(':') != std::string_view::npos) return CountTexts(need, enough);
  uint64_t found = 0;
  // A name may be both, of a kind and of a rule: then both count.
  for (const auto& [kind, count] : kinds_) found += EventKindName(kind) == need ? count : 0;
  for (const auto& [id, count] : rules_) found += GlobMatches(need, id) ? count : 0;
  return found;
}

// "result_trace:init.cc:": events of that kind, or any "event", in whose text the rest stands.
uint64_t QueryNeeds::CountTexts(std::string_view need, uint64_t enough) const {
  const size_t colon = need.find(':');
  const std::string_view kind = need.substr(0, colon);
  const std::string_view text = need.substr(colon + 1);
  const bool any = kind == kNeedsEvent;
  const auto is_kind = [&](const auto& seen) { return EventKindName(seen.first) == kind; };
  // Texts are looked through only where there is such an event.
  if (!any && std::none_of(kinds_.begin(), kinds_.end(), is_kind)) return 0;
  uint64_t found = 0;
  for (const SourceFacts* source : model_.sources) {
    for (const Event& e : source->events) {
      if (!any && EventKindName(e.kind) != kind) continue;
      if (source->Str(e.text).find(text) == std::string_view::npos) continue;
      if (++found >= enough) return found;
    }
  }
  return found;
}

// "" or ":SHM": of any transport, or of one that begins so.
bool QueryNeeds::AnyConnection(std::string_view behind) const {
  if (behind.empty()) return !transports_.empty();
  return std::any_of(transports_.begin(), transports_.end(),
                     [&](std::string_view transport) { return transport.starts_with(behind.substr(1)); });
}

}  // namespace ncclwhy
