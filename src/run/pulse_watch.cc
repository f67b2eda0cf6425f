#include "run/pulse_watch.h"

#include <algorithm>

namespace ncclwhy {

void PulseWatch::See(std::string_view bytes, Time now) {
  if (bytes.empty()) return;
  // Before anything is known any output is work: a program that loads a model for an hour prints no numbers.
  if (!learned_) last_sign_ = now;
  while (!bytes.empty()) {
    const size_t end = bytes.find_first_of("\r\n");  // \r: bars that are drawn anew
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() < PulseLine::kReach) rest_ += piece.substr(0, PulseLine::kReach - rest_.size());
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    if (!rest_.empty()) {
      const bool work = Beats(rest_);
      if (work) last_sign_ = now;
      chatter_ = !work;
    }
    rest_.clear();
  }
}

bool PulseWatch::Beats(std::string_view text) {
  PulseLine line(text, &layouts_);
  // Each kind has a place before it is judged: what complains once is not asked for its numbers again.
  const auto [found, fresh] = kinds_.try_emplace(line.kind());
  const bool full = fresh && kinds_.size() > kKinds;
  if (line.Complains()) {
    if (full) kinds_.erase(found);
    return false;
  }
  Kind& kind = found->second;
  if (fresh) {
    // Of a program that says ever new things nothing can be learned any more, and all of it is work.
    if (full) {
      kinds_.erase(found);
    } else if (line.HasDigits()) {
      kind.count = line.FindCounters(&kind.counters);
      bool whole = false;
      for (size_t i = 0; i < kind.count; ++i) kind.most[i] = line.Value(kind.counters[i].number, &whole);
    }
    return true;
  }
  bool grew = false;
  for (size_t i = 0; i < kind.count; ++i) {
    bool whole = false;
    const double value = line.Value(kind.counters[i].number, &whole);
    // Another value, larger or smaller: a count that begins anew is work, too.
    // It begins anew with the next epoch.
    if (value != kind.most[i]) grew = true;
    kind.most[i] = value;
  }
  if (grew && ++kind.beats >= kLearned) learned_ = true;
  return grew;
}

}  // namespace ncclwhy
