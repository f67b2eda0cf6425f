#include "analyze/consequences.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyze/describe_cause.h"
#include "analyze/mixed_tracebacks.h"
#include "base/limits.h"

namespace ncclwhy {
namespace {

// Sorted, each once.
void AddRank(const Finding& finding, std::vector<int32_t>* ranks) {
  if (finding.rank < 0) return;
  const auto at = std::lower_bound(ranks->begin(), ranks->end(), finding.rank);
  if (at == ranks->end() || *at != finding.rank) ranks->insert(at, finding.rank);
}

// "init.cc:1200 -> 2": only that something failed before it.
bool IsResultTrace(std::string_view text) {
  const size_t arrow = text.find(" -> ");
  return arrow != std::string_view::npos && text.substr(0, arrow).find(".c") != std::string_view::npos;
}

}  // namespace

std::vector<Consequence> Consequences(const CaseFile& c, const Hypothesis& best, int64_t* unlisted) {
  std::map<uint32_t, uint32_t> broke;  // source -> first line that shows the cause
  for (const size_t n : best.evidence) {
    const Finding& f = c.items[n].finding;
    if (f.source.valid() && f.line > 0) {
      uint32_t& line = broke.try_emplace(f.source.value, f.line).first->second;
      line = std::min(line, f.line);
    }
  }
  // Pointers into c.items, which does not change meanwhile.
  std::vector<const EvidenceItem*> items;
  for (const EvidenceItem& item : c.items) {
    const bool secondary = item.finding.role == Role::kSecondary || item.consequence;
    if (!secondary || item.survived || item.info || item.finding.line == 0 || item.finding.role == Role::kBenign ||
        item.finding.role == Role::kWarning || item.finding.role == Role::kContext) {
      continue;
    }
    // NCCL INFO socketProgressOpt: abort called
    if (item.finding.role == Role::kSecondary && item.finding.in_passing) continue;
    if (IsOtherTraceback(c, best, item.finding)) continue;
    items.push_back(&item);
  }
  // A consequence stands behind its cause; before it there are only lines that never are a cause.
  std::stable_partition(items.begin(), items.end(), [&](const EvidenceItem* item) {
    const auto it = broke.find(item->finding.source.value);
    return item->consequence || (it != broke.end() && item->finding.line >= it->second);
  });
  std::vector<Consequence> out;
  std::map<std::string, size_t> by_note;
  std::set<std::pair<uint32_t, uint32_t>> told;  // several rules may speak of one line
  for (const EvidenceItem* each : items) {
    const EvidenceItem& item = *each;
    if (!told.emplace(item.finding.source.value, item.finding.line).second) continue;
    const std::string key = item.rule != nullptr ? item.name : item.note;
    const auto [it, fresh] = by_note.try_emplace(key, out.size());
    if (!fresh) {
      // Behind the limit the kind is known but has no entry.
      if (it->second < out.size()) {
        out[it->second].count += 1 + item.finding.repeats;
        // A launcher's line that stands for several is not made that of the rank whose line follows.
        if (!out[it->second].ranks.empty()) AddRank(item.finding, &out[it->second].ranks);
      }
      continue;
    }
    if (out.size() >= limits::kConsequences) {
      ++*unlisted;
      continue;
    }
    const Evidence e = ItemEvidence(c, item, "supporting");
    out.push_back({e.file, e.line, e.text, best.cause, 1 + item.finding.repeats, {}});
    AddRank(item.finding, &out.back().ranks);
  }
  return out;
}

std::vector<Consequence> FailureLines(const CaseFile& c, int64_t* unlisted) {
  std::vector<const EvidenceItem*> items;
  // By what they are and not by where they stand: sources have no common order.
  for (const EvidenceItem& item : c.items) {
    const Role role = item.finding.role;
    const bool failure = role == Role::kRoot || role == Role::kSymptom || role == Role::kSecondary;
    if (failure && !item.survived && item.finding.line != 0) items.push_back(&item);
  }
  std::stable_sort(items.begin(), items.end(), [](const EvidenceItem* a, const EvidenceItem* b) {
    const auto rank = [](const EvidenceItem& i) {
      // A trace of results says least of all: it stands behind every failure.
      if (IsResultTrace(i.finding.text)) return 4;
      return i.consequence ? 3 : static_cast<int>(i.finding.role);
    };
    return rank(*a) < rank(*b);
  });
  std::vector<Consequence> out;
  std::set<std::pair<uint32_t, uint32_t>> told;
  for (const EvidenceItem* item : items) {
    if (!told.emplace(item->finding.source.value, item->finding.line).second) continue;
    if (out.size() >= limits::kConsequences) {
      ++*unlisted;
      continue;
    }
    const Evidence e = ItemEvidence(c, *item, "supporting");
    out.push_back({e.file, e.line, e.text, "", 1 + item->finding.repeats, {}});
    AddRank(item->finding, &out.back().ranks);
  }
  return out;
}

}  // namespace ncclwhy
