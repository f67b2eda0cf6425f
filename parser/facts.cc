#include "parser/facts.h"

#include <algorithm>

#include "base/limits.h"

namespace ncclwhy {

// Every `every`-th line is kept. When there is no room every second one of these goes, and from then on half as many
// are kept: a full trail has at least half of kTrailLines, spread over all lines.
void LineTrail::Add(uint32_t line) {
  if (count == 0) first = line;
  last = line;
  if (count++ % every != 0) return;
  if (lines.size() == limits::kTrailLines) {
    for (size_t i = 0; i < lines.size() / 2; ++i) lines[i] = lines[2 * i];
    lines.resize(lines.size() / 2);
    every *= 2;
    // The line that made it full may itself be one of those that go.
    if ((count - 1) % every != 0) return;
  }
  lines.push_back(line);
}

// Each line that is kept stands for `every` of them.
uint64_t LineTrail::After(uint32_t line) const {
  if (count == 0 || last <= line) return 0;
  if (first > line) return count;
  const auto behind = static_cast<uint64_t>(lines.end() - std::upper_bound(lines.begin(), lines.end(), line));
  // `lines` has none behind it although `last` is: the trail is thinned, one line is known for certain.
  return std::max<uint64_t>(1, behind * every);
}

// Put together as they are: a line of the denser trail stands for more here than it did there.
void LineTrail::Join(const LineTrail& later) {
  if (later.count == 0) return;
  if (count == 0) {
    *this = later;
    return;
  }
  last = later.last;
  count += later.count;
  // From here on new lines are kept at the sparser step.
  every = std::max(every, later.every);
  lines.insert(lines.end(), later.lines.begin(), later.lines.end());
  while (lines.size() > limits::kTrailLines) {
    for (size_t i = 0; i < lines.size() / 2; ++i) lines[i] = lines[2 * i];
    lines.resize(lines.size() / 2);
    every *= 2;
  }
}

// An event has a handful of fields: searching them in a row beats any index.
std::string_view SourceFacts::Get(const Event& event, FieldId field) const {
  for (uint32_t i = 0; i < event.field_count; ++i) {
    const Field& f = fields[event.field_begin + i];
    if (f.id == field) return strings.View(f.value);
  }
  return {};
}

}  // namespace ncclwhy
