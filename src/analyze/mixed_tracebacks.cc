#include "analyze/mixed_tracebacks.h"

#include <algorithm>

#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

constexpr uint32_t kBesideLines = 120;  // lines between the ends of two tracebacks that alternate
constexpr size_t kOthersTold = 2;       // beside the one that is the evidence

// The event of an exception whose traceback alternates with another one; null for every other line.
const Event* MixedAt(const CaseFile& c, SourceId source, uint64_t line) {
  const Event* event = EventAt(c.model, source, line, EventKind::kPythonException);
  if (event == nullptr || c.model.sources[source.value]->Get(*event, FieldId::kCount).empty()) return nullptr;
  return event;
}

bool IsEvidence(const CaseFile& c, const Hypothesis& h, SourceId source, uint32_t line) {
  return std::any_of(h.evidence.begin(), h.evidence.end(),
                     [&](size_t n) { return c.items[n].finding.source == source && c.items[n].finding.line == line; });
}

// Those near a line, in other words than its own.
std::vector<const Event*> Beside(const CaseFile& c, const Finding& f) {
  std::vector<const Event*> out;
  const Event* own = MixedAt(c, f.source, f.line);
  if (own == nullptr) return out;
  const SourceFacts& facts = *c.model.sources[f.source.value];
  const uint32_t from = f.line > kBesideLines ? f.line - kBesideLines : 1;
  auto at = std::lower_bound(facts.events.begin(), facts.events.end(), from,
                             [](const Event& e, uint32_t wanted) { return e.line < wanted; });
  for (; at != facts.events.end() && at->line <= f.line + kBesideLines; ++at) {
    const Event* other = MixedAt(c, f.source, at->line);
    if (other != &*at || other == own || facts.Str(other->text) == facts.Str(own->text)) continue;
    out.push_back(other);
  }
  return out;
}

}  // namespace

std::vector<Evidence> OtherTracebacks(const CaseFile& c, const Hypothesis& h) {
  std::vector<Evidence> out;
  for (const size_t n : h.evidence) {
    const Finding& f = c.items[n].finding;
    if (!f.source.valid() || f.line == 0) continue;
    const SourceFacts& facts = *c.model.sources[f.source.value];
    for (const Event* other : Beside(c, f)) {
      if (out.size() == kOthersTold) return out;
      if (IsEvidence(c, h, f.source, other->line)) continue;
      Evidence e = PlaceEvidence(c.model, {f.source, other->line, other->offset, facts.Str(other->text)}, "supporting");
      e.note = c.chinese()
                   ? "另一个进程的 traceback，与上面的逐行交错；日志没有说明哪一个在先"
                   : "of another process, whose traceback alternates with that one line by line; which of the two "
                     "was first the log does not tell";
      out.push_back(std::move(e));
    }
  }
  return out;
}

bool IsOtherTraceback(const CaseFile& c, const Hypothesis& h, const Finding& f) {
  const std::vector<const Event*> beside = Beside(c, f);
  return std::any_of(beside.begin(), beside.end(),
                     [&](const Event* e) { return IsEvidence(c, h, f.source, e->line); }) &&
         !IsEvidence(c, h, f.source, f.line);
}

}  // namespace ncclwhy
