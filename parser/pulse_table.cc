#include "parser/pulse_table.h"

#include <algorithm>
#include <tuple>

#include "parser/segment_translation.h"

namespace ncclwhy {
namespace {

// How often a number must have grown, and in what share of the lines: of the ranks of a node one brings the news.
constexpr uint32_t kLeastBeats = 3;
constexpr uint64_t kMostEchoes = 16;

}  // namespace

PulseTable::Stream& PulseTable::StreamOf(uint32_t process) {
  const size_t index = process == kNoProcess ? 0 : process + size_t{1};
  if (streams_.size() <= index) streams_.resize(index + 1);
  return streams_[index];
}

PulseTable::Kind* PulseTable::Find(Stream& stream, uint32_t number) {
  if (stream.latest >= stream.kinds.size() || stream.numbers[stream.latest] != number) {
    const auto it = std::find(stream.numbers.begin(), stream.numbers.end(), number);
    if (it == stream.numbers.end()) return nullptr;
    stream.latest = static_cast<size_t>(it - stream.numbers.begin());
  }
  stream.kinds[stream.latest].came_back = true;
  return &stream.kinds[stream.latest];
}

// A new kind. Without room in the place of one that does not beat and did not come back since it was last asked; when
// all beat, of the first one that did not come back.
PulseTable::Kind& PulseTable::Add(Stream& stream, uint32_t number) {
  const bool room =
      stream.kinds.size() < limits::kPulsesPerStream && (kinds_ < limits::kPulsesPerSource || stream.kinds.empty());
  if (room) {
    ++kinds_;
    stream.latest = stream.kinds.size();
    stream.kinds.emplace_back();
    stream.numbers.push_back(number);
  } else {
    const auto may_go = [&](size_t asked) {
      Kind& kind = stream.kinds[stream.hand];
      const bool stays = kind.came_back || (kind.beats.count >= kLeastBeats && asked < 2 * stream.kinds.size());
      kind.came_back = false;
      return !stays;
    };
    for (size_t asked = 0; !may_go(asked); ++asked) stream.hand = (stream.hand + 1) % stream.kinds.size();
    stream.latest = stream.hand;
    stream.hand = (stream.hand + 1) % stream.kinds.size();
    stream.kinds[stream.latest] = {};
    stream.numbers[stream.latest] = number;
  }
  stream.kinds[stream.latest].number = number;
  return stream.kinds[stream.latest];
}

// When there is no room every other one goes, so that those of every part of the source are known.
void PulseTable::Kind::AddPeak(const Peak& peak) {
  if (peaks.size() >= limits::kPulsePeaks) {
    for (size_t i = 0; i < peaks.size() / 2; ++i) peaks[i] = peaks[2 * i];
    peaks.resize(peaks.size() / 2);
  }
  peaks.push_back(peak);
}

void PulseTable::Note(uint32_t process, const ParsedLine& line) {
  const PulseLine read(line.text);
  Stream& stream = StreamOf(process);
  Kind* kind = Find(stream, read.kind());
  const bool fresh = kind == nullptr;
  if (fresh) {
    kind = &Add(stream, read.kind());
    kind->complaint = read.Complains();
    if (!kind->complaint) {
      stream.news.Add(line.number);
      kind->counted = read.FindCounters(&kind->counters);
    }
  }
  ++kind->lines;
  bool grew = false;
  bool whole = true;
  for (size_t i = 0; i < kind->counted; ++i) {
    Slot& slot = kind->slots[i];
    const PulseLine::Counter& counter = kind->counters[i];
    const double total = counter.of ? read.Value(counter.number + size_t{1}, &whole) : slot.total;
    if (total != slot.total) {
      slot.unsure_total = slot.unsure_total || slot.total >= 0;
      slot.total = total;
    }
    const double value = read.Value(counter.number, &whole);
    slot.whole = slot.whole && whole;
    if (fresh) {
      slot.first = slot.most = value;
      slot.unit = WorkUnitOf(read.NameOf(counter.number));
    } else if (value > slot.most) {
      slot.most = value;
      ++slot.grew;
      grew = true;
    } else if (value < slot.most && (grew || value <= slot.first)) {
      if (slot.grew > 0) kind->AddPeak({static_cast<uint8_t>(i), {kind->last.line, slot.most}});
      slot.most = value;  // the next epoch, the next bar
    }
  }
  if (!grew) return;
  const std::string_view time = line.outer.time.substr(0, 64);
  if (kind->beats.count == 0 && !time.empty()) kind->first_time = builder_->Intern(time);
  kind->beats.Add(line.number);
  kind->last.line = line.number;
  kind->last.offset = line.offset;
  if (!time.empty()) kind->last_time.assign(time);
}

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

void PulseTable::Join(const PulseTable& segment, SegmentTranslation& in_source) {
  const auto moved = [&](LineTrail trail) {
    trail.first = in_source.Line(trail.first);
    trail.last = in_source.Line(trail.last);
    for (uint32_t& line : trail.lines) line = in_source.Line(line);
    return trail;
  };
  for (size_t s = 0; s < segment.streams_.size(); ++s) {
    const Stream& from = segment.streams_[s];
    Stream& into = StreamOf(s == 0 ? kNoProcess : in_source.Process(static_cast<uint32_t>(s - 1)));
    into.news.Join(moved(from.news));
    for (const Kind& kind : from.kinds) {
      Kind* known = Find(into, kind.number);
      const bool fresh = known == nullptr;
      if (fresh) known = &Add(into, kind.number);
      known->complaint = kind.complaint;
      known->counters = kind.counters;
      known->counted = kind.counted;
      known->lines += kind.lines;
      for (size_t i = 0; i < kind.slots.size(); ++i) {
        const double first = known->slots[i].first;
        const uint32_t grew = known->slots[i].grew;
        known->slots[i] = kind.slots[i];
        known->slots[i].grew += grew;
        if (!fresh) known->slots[i].first = first;
      }
      for (const Peak& peak : kind.peaks) {
        known->AddPeak({peak.slot, {in_source.Line(peak.at.line), peak.at.value}});
      }
      known->beats.Join(moved(kind.beats));
      if (kind.last.line != 0) known->last = {in_source.Line(kind.last.line), kind.last.offset, {}};
      if (!known->first_time.valid()) known->first_time = in_source.Text(kind.first_time);
      if (!kind.last_time.empty()) known->last_time = kind.last_time;
    }
  }
}

void PulseTable::Finish() {
  SourceFacts& facts = builder_->facts();
  for (size_t s = 0; s < streams_.size(); ++s) {
    const uint32_t process = s == 0 ? kNoProcess : static_cast<uint32_t>(s - 1);
    Stream& stream = streams_[s];
    if (stream.news.count > 0) facts.news.push_back({process, stream.news});
    std::vector<const Kind*> beating;
    for (const Kind& kind : stream.kinds) {
      const Slot* best = BestSlot(kind);
      if (best == nullptr || best->grew < kLeastBeats || best->grew * kMostEchoes < kind.lines) continue;
      beating.push_back(&kind);
    }
    std::stable_sort(beating.begin(), beating.end(),
                     [](const Kind* a, const Kind* b) { return a->beats.last > b->beats.last; });
    if (beating.size() > limits::kPulsesKept) beating.resize(limits::kPulsesKept);
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
      p.total = best.unsure_total ? -1 : best.total;
      if (best.unit != nullptr) p.name = builder_->Intern(best.unit->word);
      p.last = kind->last;
      p.first_time = kind->first_time;
      if (!kind->last_time.empty()) p.last_time = builder_->Intern(kind->last_time);
      for (const Peak& peak : kind->peaks) {
        if (&kind->slots[peak.slot] == &best) p.peaks.push_back(peak.at);
      }
      facts.pulses.push_back(std::move(p));
    }
  }
}

}  // namespace ncclwhy
