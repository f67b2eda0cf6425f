// What PulseTable puts into the facts in the end: which of its kinds of lines are pulses, and which only count the
// time.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "parser/clock.h"
#include "parser/pulse_table.h"

namespace ncclwhy {
namespace {

constexpr uint64_t kMostEchoes = 16;  // lines that share one beat: of the ranks of a node one brings the news

}  // namespace

// Of the numbers that grew the one that says of how many, else one that counts work in so many words, else one without
// a fraction, else the one that grew most.
const PulseTable::Slot* PulseTable::BestSlot(const Kind& kind) {
  const Slot* best = nullptr;
  for (const Slot& slot : kind.slots) {
    if (slot.grew == 0) continue;
    const auto worth = [](const Slot& s) {
      const bool enough = s.grew >= kLeastBeats;
      return std::tuple(enough && s.total > 0 && !s.unsure_total, enough && s.unit != nullptr, enough && s.whole,
                        s.grew);
    };
    if (best == nullptr || worth(slot) > worth(*best)) best = &slot;
  }
  return best;
}

bool PulseTable::CountsSeconds(const Kind& kind) const {
  constexpr double kLeastSeconds = 60;
  constexpr double kLoose = 2;  // seconds, or in a hundred
  constexpr double kManyMinutes = 600;
  if (kind.beats.count < kLeastBeats) return false;
  const Slot* clock = nullptr;
  for (size_t i = 0; i < kind.slots_used; ++i) {
    const Slot& slot = kind.slots[i];
    if (slot.fell > 0 || (slot.grew > 0 && clock != nullptr)) return false;
    if (slot.grew > 0) clock = &slot;
  }
  if (clock == nullptr || clock->unit != nullptr || clock->total >= 0) return false;
  // Nothing stamps its lines, but its words say what it counts: `last iteration finished 900s ago`
  if (!kind.first_time.valid() || kind.last_time.empty()) return clock->most * clock->seconds >= kLeastSeconds;
  const auto passed = SecondsBetween(builder_->facts().Str(kind.first_time), kind.LastStamp());
  if (!passed || *passed < kLeastSeconds) return false;
  const double counted = clock->most - clock->stamped;
  if (std::abs(counted - *passed) <= std::max(kLoose, *passed * kLoose / 100)) return true;
  // Minutes: steps that take a minute each, to the second and for so long, are none.
  return *passed >= kManyMinutes && std::abs(counted * 60 - *passed) <= kLoose;
}

WaitFacts PulseTable::WaitOf(const Kind& kind, uint32_t process) {
  const Slot& clock = *std::max_element(kind.slots.begin(), kind.slots.end(),
                                        [](const Slot& a, const Slot& b) { return a.grew < b.grew; });
  if (kind.last_time.empty()) {
    return {process, kind.beats.first, kind.last.line, clock.most * clock.seconds, StringId()};
  }
  const double seconds = clock.most;
  const auto passed = SecondsBetween(builder_->facts().Str(kind.first_time), kind.LastStamp());
  // What counts minutes says fewer of them than seconds passed.
  const bool minutes = passed && seconds * 2 < *passed;
  return {process, kind.beats.first, kind.last.line, minutes ? seconds * 60 : seconds,
          builder_->Intern(kind.LastStamp())};
}

// A flag, no counter: `Which is: 1`, `Which is: 0` of each test that failed.
bool PulseTable::IsFlag(const Slot& slot) {
  return slot.unit == nullptr && slot.total < 0 && slot.whole && slot.first <= 1 && slot.most <= 1;
}

// What another number of the line says and never changes: {"step": 20, "max_steps": 50}.
double PulseTable::TotalBeside(const Kind& kind, const Slot& best) {
  for (const Slot& slot : kind.slots) {
    const bool constant = slot.grew == 0 && slot.fell == 0 && slot.first >= best.most;
    if (constant && slot.of != nullptr && std::string_view(slot.of->one) == best.unit->one) return slot.first;
  }
  return -1;
}

void PulseTable::Finish() {
  ReadLastTexts();
  SourceFacts& facts = builder_->facts();
  for (size_t s = 0; s < streams_.size(); ++s) {
    const uint32_t process = s == 0 ? kNoProcess : static_cast<uint32_t>(s - 1);
    Stream& stream = streams_[s];
    if (stream.news.count > 0) facts.news.push_back({process, stream.news, builder_->Intern(stream.last_news)});
    std::vector<const Kind*> beating;
    for (const Kind& kind : stream.kinds) {
      if (CountsSeconds(kind)) facts.waits.push_back(WaitOf(kind, process));
      if (kind.complaint || CountsSeconds(kind)) continue;
      const Slot* best = BestSlot(kind);
      if (best == nullptr || best->grew < kLeastBeats || best->grew * kMostEchoes < kind.lines) continue;
      if (IsFlag(*best)) continue;
      beating.push_back(&kind);
    }
    std::stable_sort(beating.begin(), beating.end(),
                     [](const Kind* a, const Kind* b) { return a->beats.last > b->beats.last; });
    if (beating.size() > limits::kPulsesKept) {
      // The latest, and of those whose words say what they count the one that beat most: the work, not what follows it.
      const auto beats_less = [](const Kind* x, const Kind* y) {
        const auto worth = [](const Kind* k) { return std::pair(BestSlot(*k)->unit != nullptr, k->beats.count); };
        return worth(x) < worth(y);
      };
      const auto most = std::max_element(beating.begin(), beating.end(), beats_less);
      const auto last_kept = beating.begin() + limits::kPulsesKept - 1;
      if (most > last_kept) *last_kept = *most;
      beating.resize(limits::kPulsesKept);
    }
    std::stable_sort(beating.begin(), beating.end(), [](const Kind* a, const Kind* b) {
      return a->beats.first != b->beats.first ? a->beats.first < b->beats.first : a->number < b->number;
    });
    for (const Kind* kind : beating) {
      const Slot& best = *BestSlot(*kind);
      PulseFacts p;
      p.process = process;
      p.beats = kind->beats;
      p.first_value = best.first;
      p.last_value = best.most;
      p.total = best.total >= 0 || best.unit == nullptr ? best.total : TotalBeside(*kind, best);
      if (best.unsure_total || kind->prepares) p.total = -1;
      if (best.unit != nullptr) p.name = builder_->Intern(best.unit->word);
      p.last = kind->last;
      // Nobody knows what it counts: its own words tell.
      if (p.total <= 0 && best.unit == nullptr) p.last.text = builder_->Intern(kind->last_text);
      p.first_time = kind->first_time;
      if (!kind->LastStamp().empty()) p.last_time = builder_->Intern(kind->LastStamp());
      for (const Peak& peak : kind->peaks) {
        if (&kind->slots[peak.slot] == &best) p.peaks.push_back(peak.at);
      }
      FillUp(stream, &p);
      facts.pulses.push_back(std::move(p));
    }
  }
}

void PulseTable::FillUp(const Stream& stream, PulseFacts* pulse) {
  if (pulse->total <= 1 || pulse->last_value >= pulse->total) return;
  for (const Kind& kind : stream.kinds) {
    if (kind.seen.line <= pulse->last.line) continue;
    const bool full = std::any_of(kind.slots.begin(), kind.slots.end(), [&](const Slot& slot) {
      return slot.total == pulse->total && slot.most == slot.total && !slot.unsure_total && slot.fell == 0;
    });
    if (!full) continue;
    pulse->last_value = pulse->total;
    pulse->last = kind.seen;
    pulse->beats.Add(kind.seen.line);
    return;
  }
}

}  // namespace ncclwhy
