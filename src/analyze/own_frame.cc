#include "analyze/own_frame.h"

#include <algorithm>
#include <string_view>

#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

// `main (train.py:212)`: function and place, as the parser keeps a frame of the program's own.
std::string PlaceOf(std::string_view frame) {
  const size_t place = frame.rfind(" (");
  if (place == std::string_view::npos || frame.back() != ')') return {};  // none, or its number is cut
  return std::string(frame.substr(place + 2, frame.size() - place - 3));
}

// Of the stack that a process prints right behind what it died of. A job of thousands asks for each of its ranks: what
// stands behind one line is looked up, not searched.
std::string OfDump(const CaseFile& c, const Finding& f) {
  constexpr uint32_t kNear = 12;
  if (!f.source.valid() || f.line == 0) return {};
  const SourceFacts& facts = *c.model.sources[f.source.value];
  const Event* stack = nullptr;
  for (uint32_t line = f.line + 1; stack == nullptr && line <= f.line + kNear; ++line) {
    stack = EventAt(c.model, f.source, line, EventKind::kStack);
    // A thread of C++ alone shows nothing of the program.
    if (stack != nullptr && facts.Get(*stack, FieldId::kProgram).empty()) stack = nullptr;
  }
  if (stack == nullptr) return {};
  // A watchdog dumps the stacks of those who wait, too.
  const bool dies = std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& i) {
    const bool here = i.rule != nullptr && i.finding.source == f.source && i.finding.line == f.line;
    return here && (i.rule->sign.how == Ending::kAbort || i.rule->sign.how == Ending::kSignal);
  });
  return dies ? PlaceOf(facts.Get(*stack, FieldId::kFunction)) : std::string();
}

}  // namespace

std::string OwnFrame(const CaseFile& c, const Finding& f) {
  const Event* event = EventAt(c.model, f.source, f.line, EventKind::kPythonException);
  if (event == nullptr) return OfDump(c, f);
  return PlaceOf(c.model.sources[f.source.value]->Get(*event, FieldId::kFunction));
}

}  // namespace ncclwhy
