#include "parser/pulse_table.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"
#include "parser/scan.h"
#include "parser/segment_translation.h"

namespace ncclwhy {
namespace {

// Of a line; a skeleton is told by its beginning.
constexpr size_t kReach = 320;
// How often a number must have grown, and in what share of the lines: of the ranks of a node one brings the news.
constexpr uint32_t kLeastBeats = 3;
constexpr uint64_t kMostEchoes = 16;

// Words of lines that are no work, in lower case. A kind of line is asked once.
constexpr std::string_view kNoWork[] = {
    "wait",        "still ",   "retry",     "retries",   "timeout", "timed out", "time out",  "stuck",
    "no progress", "respond",  "heartbeat", "keepalive", "fail",    "error",     "exception", "abort",
    "kill",        "terminat", "signal",    "exit",      "frame #", "file \"",   "warn",      "unreachab",
    "refused",     "lost",     "not ready", "trying",    "attempt", "traceback", "rank  ",    "pid",
    "connect",     "leaked",   "closed",    "destroy",   "shut",    "over 95%"};

bool SaysNoWork(std::string_view text) {
  char lower[kReach];
  const size_t size = std::min(text.size(), kReach);
  for (size_t i = 0; i < size; ++i) {
    const char c = text[i];
    lower[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  const std::string_view said(lower, size);
  return std::any_of(std::begin(kNoWork), std::end(kNoWork),
                     [&](std::string_view word) { return said.find(word) != std::string_view::npos; });
}

// `12:00:03.123`, `2026-11-22`, `00:03<00:26`: the number is part of a clock or a date. Sizes and speeds have a point.
bool IsClockMark(char c) { return c == ':' || c == '-'; }

// Numbers behind these words name somebody or some thing, they count no work.
constexpr std::string_view kNames[] = {"rank", "local_rank", "worker", "node", "gpu", "device", "pid",
                                       "port", "process",    "thread", "task", "dev", "loss"};

// `step=41200` → step, `1.37it/s` → it: the word in front of the number, else behind it.
std::string_view NameBeside(std::string_view text, size_t at) {
  size_t end = at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '=' || text[end - 1] == ':' || text[end - 1] == '[' ||
                     text[end - 1] == '"' || text[end - 1] == '(' || text[end - 1] == '#' || text[end - 1] == '_')) {
    --end;
  }
  size_t begin = end;
  while (begin > 0 && (scan::IsAlpha(text[begin - 1]) || text[begin - 1] == '_')) --begin;
  return end - begin >= 2 && end - begin <= 32 ? text.substr(begin, end - begin) : std::string_view();
}

}  // namespace

PulseTable::Reading PulseTable::Read(std::string_view text) {
  Reading r;
  uint64_t hash = 1469598103934665603ull;
  const auto mix = [&hash](unsigned char c) { hash = (hash ^ c) * 1099511628211ull; };
  const size_t size = std::min(text.size(), kReach);
  for (size_t i = 0; i < size;) {
    const char c = text[i];
    if (!scan::IsDigit(c)) {
      if (scan::IsAlpha(c)) mix(static_cast<unsigned char>(c));
      ++i;
      continue;
    }
    const size_t begin = i;
    double value = 0;
    while (i < size && scan::IsDigit(text[i])) value = value * 10 + (text[i++] - '0');
    const size_t digits = i - begin;
    bool whole = true;
    if (i + 1 < size && text[i] == '.' && scan::IsDigit(text[i + 1])) {
      double place = 0.1;
      whole = false;
      for (++i; i < size && scan::IsDigit(text[i]); ++i, place /= 10) value += place * (text[i] - '0');
    }
    if (i + 2 < size && text[i] == 'e' && (text[i + 1] == '+' || text[i + 1] == '-')) {
      for (i += 2; i < size && scan::IsDigit(text[i]);) ++i;
      value = 0;
    }
    mix('0');
    const bool hex = begin > 0 && text[begin - 1] == 'x';
    // `Thread 0x00007fa620ffd640`: one name, whatever digits it has.
    while (hex && i < size && (scan::IsDigit(text[i]) || ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'f'))) ++i;
    const bool behind = begin > 1 && IsClockMark(text[begin - 1]) && scan::IsDigit(text[begin - 2]);
    const bool before = i + 1 < size && IsClockMark(text[i]) && scan::IsDigit(text[i + 1]);
    if (behind || before || hex) {
      // The fraction of a clock: `11:10:18,688`.
      if (behind && i + 1 < size && text[i] == ',' && scan::IsDigit(text[i + 1])) {
        for (++i; i < size && scan::IsDigit(text[i]);) ++i;
      }
      continue;
    }
    const std::string_view beside = NameBeside(text, begin);
    const bool names = std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
      return beside.size() == name.size() && std::equal(name.begin(), name.end(), beside.begin(), [](char a, char b) {
               return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
             });
    });
    if (names) continue;
    if (digits > 9 || (value >= 1e9 && value < 2.3e9) || r.count == limits::kPulseNumbers) continue;
    r.at[r.count] = begin;
    Number& number = r.numbers[r.count++];
    number.value = value;
    number.whole = whole;
    // `38/40`, `38 of 40`, `38 / 40`
    size_t next = i;
    while (next < size && text[next] == ' ') ++next;
    const size_t mark = next < size && text[next] == '/' ? 1 : text.substr(next, 3) == "of " ? 3 : 0;
    next += mark;
    while (next < size && text[next] == ' ') ++next;
    number.of = mark > 0 && next < size && scan::IsDigit(text[next]);
  }
  r.skeleton = Mix64(hash);
  return r;
}

PulseTable::Stream& PulseTable::StreamOf(uint32_t process) {
  const size_t index = process == kNoProcess ? 0 : process + size_t{1};
  if (streams_.size() <= index) streams_.resize(index + 1);
  return streams_[index];
}

PulseTable::Kind* PulseTable::Find(Stream& stream, uint64_t skeleton) {
  if (stream.latest < stream.kinds.size() && stream.kinds[stream.latest].skeleton == skeleton) {
    return &stream.kinds[stream.latest];
  }
  for (size_t i = 0; i < stream.kinds.size(); ++i) {
    if (stream.kinds[i].skeleton != skeleton) continue;
    stream.latest = i;
    return &stream.kinds[i];
  }
  return nullptr;
}

// A new kind, in the place of the one that beat least and longest ago when there is no room.
PulseTable::Kind& PulseTable::Add(Stream& stream, uint64_t skeleton) {
  const bool room =
      stream.kinds.size() < limits::kPulsesPerStream && (kinds_ < limits::kPulsesPerSource || stream.kinds.empty());
  if (room) {
    ++kinds_;
    stream.latest = stream.kinds.size();
    stream.kinds.emplace_back();
  } else {
    const auto older = [](const Kind& a, const Kind& b) {
      const bool a_beats = a.beats.count >= kLeastBeats;
      const bool b_beats = b.beats.count >= kLeastBeats;
      return a_beats != b_beats ? b_beats : a.latest < b.latest;
    };
    const auto oldest = std::min_element(stream.kinds.begin(), stream.kinds.end(), older);
    *oldest = {};
    stream.latest = static_cast<size_t>(oldest - stream.kinds.begin());
  }
  stream.kinds[stream.latest].skeleton = skeleton;
  return stream.kinds[stream.latest];
}

void PulseTable::Note(uint32_t process, const ParsedLine& line) {
  const Reading r = Read(line.text);
  Stream& stream = StreamOf(process);
  Kind* kind = Find(stream, r.skeleton);
  ++tick_;
  if (kind == nullptr) {
    kind = &Add(stream, r.skeleton);
    kind->complaint = SaysNoWork(line.text);
    if (!kind->complaint) stream.news.Add(line.number);
    for (size_t i = 0; i < r.count; ++i) {
      kind->slots[i].first = kind->slots[i].most = r.numbers[i].value;
      if (r.numbers[i].of && i + 1 < r.count) kind->slots[i].total = r.numbers[i + 1].value;
    }
    kind->lines = 1;
    kind->latest = tick_;
    return;
  }
  ++kind->lines;
  kind->latest = tick_;
  if (kind->complaint) return;
  bool grew = false;
  for (size_t i = 0; i < r.count; ++i) {
    Slot& slot = kind->slots[i];
    const double value = r.numbers[i].value;
    if (r.numbers[i].of && i + 1 < r.count && r.numbers[i + 1].value != slot.total) {
      slot.unsure_total = slot.unsure_total || slot.total >= 0;
      slot.total = r.numbers[i + 1].value;
    }
    slot.whole = slot.whole && r.numbers[i].whole;
    if (value > slot.most) {
      slot.most = value;
      ++slot.grew;
      grew = true;
    } else if (value < slot.most && (grew || value <= slot.first)) {
      slot.most = value;  // the next epoch, the next bar
    }
  }
  if (!grew) return;
  const std::string_view time = line.outer.time.substr(0, 64);
  if (kind->beats.count == 0) {
    if (!time.empty()) kind->first_time = builder_->Intern(time);
  }
  kind->beats.Add(line.number);
  kind->last.line = line.number;
  kind->last.offset = line.offset;
  // Texts of the first beats and of about every tenth: the last one of all is as good as its neighbours.
  if (kind->beats.count <= 4 || kind->beats.count % 16 == 0) {
    if (!time.empty()) kind->last_time = builder_->Intern(time);
    const Slot* best = BestSlot(*kind);
    if (best != nullptr && !kind->name.valid()) {
      const std::string_view name = NameBeside(line.text, r.at[static_cast<size_t>(best - kind->slots.data())]);
      if (!name.empty()) kind->name = builder_->Intern(name);
    }
  }
}

// Of the numbers that grew the one that says of how many, else one without a fraction, else the one that grew most.
const PulseTable::Slot* PulseTable::BestSlot(const Kind& kind) {
  const Slot* best = nullptr;
  for (const Slot& slot : kind.slots) {
    if (slot.grew == 0) continue;
    const auto worth = [](const Slot& s) {
      const bool enough = s.grew >= kLeastBeats;
      return std::tuple(enough && s.total > 0 && !s.unsure_total, enough && s.whole, s.grew);
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
      Kind* known = Find(into, kind.skeleton);
      const bool fresh = known == nullptr;
      if (fresh) known = &Add(into, kind.skeleton);
      known->complaint = kind.complaint;
      known->lines += kind.lines;
      known->latest = tick_ + kind.latest;
      for (size_t i = 0; i < kind.slots.size(); ++i) {
        const double first = known->slots[i].first;
        const uint32_t grew = known->slots[i].grew;
        known->slots[i] = kind.slots[i];
        known->slots[i].grew += grew;
        if (!fresh) known->slots[i].first = first;
      }
      known->beats.Join(moved(kind.beats));
      if (kind.last.line != 0) known->last = {in_source.Line(kind.last.line), kind.last.offset, {}};
      if (!known->name.valid()) known->name = in_source.Text(kind.name);
      if (!known->first_time.valid()) known->first_time = in_source.Text(kind.first_time);
      if (kind.last_time.valid()) known->last_time = in_source.Text(kind.last_time);
    }
  }
  tick_ += segment.tick_;
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
      return a->beats.first != b->beats.first ? a->beats.first < b->beats.first : a->skeleton < b->skeleton;
    });
    for (const Kind* kind : beating) {
      const Slot& best = *BestSlot(*kind);
      PulseFacts p;
      p.process = process;
      p.beats = kind->beats;
      p.first_value = best.first;
      p.last_value = best.most;
      p.total = best.unsure_total ? -1 : best.total;
      p.name = kind->name;
      p.last = kind->last;
      p.first_time = kind->first_time;
      p.last_time = kind->last_time;
      facts.pulses.push_back(std::move(p));
    }
  }
}

}  // namespace ncclwhy
