#include "analyze/own_frame.h"

#include <algorithm>
#include <string_view>

#include "analyze/place_evidence.h"
#include "job/thread_stack.h"

namespace ncclwhy {
namespace {

// `main (train.py:212)`: function and place, as the parser keeps a frame of the program's own.
std::string PlaceOf(std::string_view frame) {
  const size_t place = frame.rfind(" (");
  if (place == std::string_view::npos || frame.back() != ')') return {};  // none, or its number is cut
  return std::string(frame.substr(place + 2, frame.size() - place - 3));
}

// Of the stack that a process prints right behind what it died of.
std::string OfDump(const CaseFile& c, const Finding& f) {
  constexpr uint32_t kNear = 12;
  // A watchdog dumps the stacks of those who wait, too.
  const bool dies = std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& i) {
    const bool here = i.rule != nullptr && i.finding.source == f.source && i.finding.line == f.line;
    return here && (i.rule->sign.how == Ending::kAbort || i.rule->sign.how == Ending::kSignal);
  });
  if (!dies || f.line == 0) return {};
  for (const ThreadStack& stack : FindStacks(c.model)) {
    const bool behind = stack.place.source == f.source && stack.place.line > f.line;
    if (!behind || stack.place.line > f.line + kNear || stack.program.empty()) continue;
    return PlaceOf(stack.function);
  }
  return {};
}

}  // namespace

std::string OwnFrame(const CaseFile& c, const Finding& f) {
  const Event* event = EventAt(c.model, f.source, f.line, EventKind::kPythonException);
  if (event == nullptr) return OfDump(c, f);
  return PlaceOf(c.model.sources[f.source.value]->Get(*event, FieldId::kFunction));
}

}  // namespace ncclwhy
