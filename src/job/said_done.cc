#include "job/said_done.h"

#include <algorithm>

#include "job/attempt_files.h"
#include "job/other_sources.h"

namespace ncclwhy {

bool SaidDone::IsOfSuite(const LifeSign& s) const {
  return std::any_of(signs_.begin(), signs_.end(), [&](const LifeSign& e) {
    if (!e.suite || e.bad() || e.life != Life::kEnding) return false;
    if (e.source == s.source) return e.line > std::max(s.line, s.last_line);
    return s.suite && AttemptInName(model_.sources[s.source.value]->name).has_value();
  });
}

bool SaidDone::IsDismissed(const LifeSign& s) const {
  const auto done = ends_.signs.find(s.source.value);
  return s.of == SignOf::kNamed && s.rank < 0 && IsRequest(s.signal) && done != ends_.signs.end() &&
         done->second->line < s.line;
}

bool SaidDone::DoneBefore(const LifeSign& s) const {
  return s.how != Ending::kStopped && std::any_of(signs_.begin(), signs_.end(), [&](const LifeSign& e) {
           return e.life == Life::kEnding && !e.bad() && e.of == SignOf::kSelf && e.source == s.source &&
                  e.line < s.line && !WorkGoesOn(model_, e.source, e.line);
         });
}

bool SaidDone::DoneElsewhere(const LifeSign& s) const {
  return std::any_of(signs_.begin(), signs_.end(), [&](const LifeSign& e) {
    const bool whole = e.life == Life::kEnding && !e.bad() && (e.of == SignOf::kJob || e.how == Ending::kExit);
    if (!whole || !e.source.valid() || e.source == s.source) return false;
    return ends_.lines[e.source.value] == std::max(e.line, e.last_line);
  });
}

bool SaidDone::IsListedBeside(const LifeSign& s) const {
  if (!model_.sources[s.source.value]->pulses.empty()) return false;
  // All who worked came to their end.
  bool worked = false, done = true;
  for (size_t i = 0; i < model_.sources.size(); ++i) {
    if (model_.sources[i]->pulses.empty()) continue;
    worked = true;
    done = done && ends_.lines[i] > 0;
  }
  // A scheduler's record of a job has its own history (other_sources.h).
  if (worked && done && s.signal.empty() && s.job.empty() && s.of == SignOf::kJob) return true;
  return std::any_of(signs_.begin(), signs_.end(), [&](const LifeSign& e) {
    const bool well = e.life == Life::kEnding && !e.bad() && e.of == SignOf::kJob;
    if (!well || !e.source.valid() || e.source == s.source || model_.sources[e.source.value]->pulses.empty())
      return false;
    return ends_.lines[e.source.value] == std::max(e.line, e.last_line);
  });
}

bool SaidDone::DoneByWorkers() const {
  for (uint32_t s = 0; s < ends_.lines.size(); ++s) {
    if (ends_.lines[s] == 0) continue;
    const std::vector<ProcessId>& processes = model_.process_of[s];
    const bool works = !model_.sources[s]->pulses.empty() ||
                       std::any_of(processes.begin(), processes.end(), [](ProcessId id) { return id.valid(); });
    const auto said = ends_.signs.find(s);
    if (works || (said != ends_.signs.end() && said->second->of == SignOf::kJob)) return true;
  }
  return false;
}

}  // namespace ncclwhy
