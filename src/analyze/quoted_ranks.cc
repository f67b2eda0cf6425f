#include "analyze/quoted_ranks.h"

#include <algorithm>

#include "job/rank_in_text.h"

namespace ncclwhy {
namespace {

constexpr uint32_t kNear = 200;  // lines
constexpr size_t kTelling = 16;  // bytes of words that are nobody else's by chance

std::pair<SourceId, uint32_t> PlaceOf(const Finding* f) { return {f->source, f->line}; }

}  // namespace

QuotedRanks::QuotedRanks(const std::vector<EvidenceItem>& items) {
  for (const EvidenceItem& i : items) {
    if (i.finding.source.valid() && i.finding.line > 0) placed_.push_back(&i.finding);
  }
  std::stable_sort(placed_.begin(), placed_.end(),
                   [](const Finding* a, const Finding* b) { return PlaceOf(a) < PlaceOf(b); });
}

template <typename Visit>
void QuotedRanks::ForEachNear(const Finding& f, Visit visit) const {
  if (!f.source.valid()) return;
  const std::pair from(f.source, f.line > kNear ? f.line - kNear : 0);
  auto it = std::lower_bound(placed_.begin(), placed_.end(), from,
                             [](const Finding* a, const auto& b) { return PlaceOf(a) < b; });
  for (; it != placed_.end() && (*it)->source == f.source && (*it)->line < f.line + kNear; ++it) visit(**it);
}

// Of several lines near by that hold the host's name the nearest one, and none of another process.
int32_t QuotedRanks::OfHost(const Finding& f, std::string_view host, ProcessId process) const {
  int32_t found = -1;
  if (host.empty() || !process.valid()) return found;
  uint32_t best = kNear;
  ForEachNear(f, [&](const Finding& q) {
    if (q.process.valid() && q.process != process) return;
    const uint32_t distance = q.line > f.line ? q.line - f.line : f.line - q.line;
    if (distance >= best || q.text.find(host) == std::string::npos) return;
    const int32_t rank = RankInText(q.text);
    if (rank < 0) return;
    best = distance;
    found = rank;
  });
  return found;
}

int32_t QuotedRanks::OfWords(const Finding& f) const {
  std::string_view words;
  for (const char* name : {"text", "errno_text"}) {
    const auto it = f.fields.find(name);
    if (it != f.fields.end() && it->second.size() > words.size()) words = it->second;
  }
  if (words.size() < kTelling) return -1;
  int32_t found = -1;
  bool several = false;
  ForEachNear(f, [&](const Finding& q) {
    if (q.text.find(words) == std::string::npos) return;
    const int32_t rank = RankInText(q.text);
    if (rank < 0) return;
    several |= found >= 0 && rank != found;
    found = rank;
  });
  return several ? -1 : found;
}

}  // namespace ncclwhy
