#include "analyze/place_evidence.h"

#include <algorithm>

namespace ncclwhy {
namespace {

constexpr std::string_view kCalledBy = " < ";

// Thread 1: __GI___libc_read < … < read_shard (io.cc:40) < main (x.cc:9). The line itself names the thread only.
std::string StackText(const SourceFacts& facts, const Event& event) {
  const std::string_view frames = facts.Get(event, FieldId::kFrames);
  if (frames.empty()) return {};
  const std::string_view program = facts.Get(event, FieldId::kProgram);
  std::string text = std::string(facts.Get(event, FieldId::kProcess)) + ": ";
  // What the program waits in, and the program; not what the library does in between.
  const std::string_view innermost = frames.substr(0, frames.find(kCalledBy));
  if (program.empty() || program.starts_with(innermost)) return text.append(program.empty() ? frames : program);
  const bool next = frames.substr(innermost.size() + std::min(kCalledBy.size(), frames.size() - innermost.size()))
                        .starts_with(program.substr(0, program.find(kCalledBy)));
  return text.append(innermost).append(next ? " < " : " < … < ").append(program);
}

}  // namespace

const Event* EventAt(const JobModel& model, SourceId source, uint64_t line, std::optional<EventKind> kind) {
  if (!source.valid() || line == 0) return nullptr;
  const std::vector<Event>& events = model.sources[source.value]->events;
  auto at = std::lower_bound(events.begin(), events.end(), line,
                             [](const Event& e, uint64_t wanted) { return e.line < wanted; });
  for (; at != events.end() && at->line == line; ++at) {
    if (!kind || at->kind == *kind) return &*at;
  }
  return nullptr;
}

Evidence PlaceEvidence(const JobModel& model, const Place& place, std::string_view role) {
  Evidence e;
  e.role = role;
  if (place.source.valid()) e.file = model.sources[place.source.value]->name;
  e.line = place.line;
  e.text = std::string(place.text);
  if (const Event* stack = EventAt(model, place.source, place.line, EventKind::kStack)) {
    const std::string text = StackText(*model.sources[place.source.value], *stack);
    if (!text.empty()) e.text = text;
  }
  // A query rule may tell a place alone.
  if (const Event* event = e.text.empty() ? EventAt(model, place.source, place.line) : nullptr) {
    e.text = std::string(model.sources[place.source.value]->Str(event->text));
  }
  return e;
}

}  // namespace ncclwhy
