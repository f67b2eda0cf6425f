#include "parser/pulse_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/logger_prefix.h"
#include "base/text.h"
#include "parser/clock.h"
#include "parser/segment_translation.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

// A stamp that is no prefix, as what stands behind it belongs to it, or a blank in front:
//    [2026-11-22 11:13:14] iteration       52/    2000 | …      [2026-11-22 11:09:43,450][train_inner][INFO] - {…}
std::string_view InBracket(std::string_view text) {
  constexpr size_t kStamp = 32;
  if (text.size() > 1 && text[0] == ' ') text.remove_prefix(1);
  return text.size() > 1 && text[0] == '[' && IsDigit(text[1]) ? text.substr(1, kStamp) : std::string_view();
}

// W0606 10:39:31.441 …, which is a part of the text
bool BeginsWithGlogStamp(std::string_view text) {
  constexpr size_t kLevelAndDay = 5;
  return text.size() > kLevelAndDay && (text[0] == 'W' || text[0] == 'I' || text[0] == 'E') && IsDigit(text[1]) &&
         IsDigit(text[kLevelAndDay - 1]);
}

// After so many lines of a kind it shows which of its numbers are noise.
constexpr uint64_t kNoiseLines = 64;

}  // namespace

PulseTable::Stream& PulseTable::NewStream(size_t index) {
  streams_.resize(index + 1);
  return streams_.back();
}

PulseTable::Kind* PulseTable::FindAmong(Stream& stream, uint32_t number) {
  const auto it = std::find(stream.numbers.begin(), stream.numbers.end(), number);
  if (it == stream.numbers.end()) return nullptr;
  stream.latest = static_cast<size_t>(it - stream.numbers.begin());
  stream.marks[stream.latest] |= kCameBack;
  return &stream.kinds[stream.latest];
}

// Which kind goes when there is no room: the next one that does not beat and did not come back since it was last asked;
// when all beat, the first one that was asked. Many new ones may come in a row, so none is looked at by itself.
size_t PulseTable::Stream::NextToGo() {
  uint8_t* const all = marks.data();
  const auto ask = [&](size_t begin, size_t end) {
    const void* const none = std::memchr(all + begin, 0, end - begin);
    const size_t found = none == nullptr ? end : static_cast<size_t>(static_cast<const uint8_t*>(none) - all);
    for (size_t i = begin; i < found; ++i) all[i] &= kBeats;
    return found;
  };
  for (int round = 0; round < 2; ++round) {
    if (const size_t found = ask(hand, marks.size()); found < marks.size()) return found;
    if (const size_t found = ask(0, hand); found < hand) return found;
  }
  return hand;
}

// A new kind.
PulseTable::Kind& PulseTable::Add(Stream& stream, uint32_t number) {
  const bool room =
      stream.kinds.size() < limits::kPulsesPerStream && (kinds_ < limits::kPulsesPerSource || stream.kinds.empty());
  if (room) {
    ++kinds_;
    stream.latest = stream.kinds.size();
    stream.kinds.emplace_back();
    stream.numbers.push_back(number);
    stream.marks.push_back(0);
  } else {
    stream.latest = stream.NextToGo();
    stream.hand = (stream.latest + 1) % stream.kinds.size();
    stream.kinds[stream.latest].Clear();
    stream.numbers[stream.latest] = number;
    stream.marks[stream.latest] = 0;
  }
  stream.kinds[stream.latest].number = number;
  return stream.kinds[stream.latest];
}

// When there is no room those of other numbers than the best one go, as of a loss that wanders; else every other one,
// so that those of every part of the source are known.
void PulseTable::Kind::AddPeak(const Peak& peak) {
  if (peaks.size() >= limits::kPulsePeaks) {
    const Slot* const best = BestSlot(*this);
    std::erase_if(peaks, [&](const Peak& p) { return &slots[p.slot] != best; });
  }
  if (peaks.size() >= limits::kPulsePeaks) {
    for (size_t i = 0; i < peaks.size() / 2; ++i) peaks[i] = peaks[2 * i];
    peaks.resize(peaks.size() / 2);
  }
  peaks.push_back(peak);
}

bool PulseTable::Texts::Add(uint32_t text) {
  if (texts_.empty()) texts_.resize(kGroups * kOfGroup);
  const size_t group = text % kGroups;
  uint32_t* const first = texts_.data() + group * kOfGroup;
  uint32_t same = 0;  // compilers compare all eight at once
  for (size_t i = 0; i < kOfGroup; ++i) same |= static_cast<uint32_t>(first[i] == text);
  if (same != 0) return false;
  first[next_[group]++ % kOfGroup] = text;
  return true;
}

std::string_view PulseTable::Kind::LastStamp() const {
  const std::string_view kept = last_time;
  return in_bracket ? kept.substr(0, TimestampLength(kept, nullptr)) : kept;
}

// Nearly all that go came once or twice: little of them was used.
void PulseTable::Kind::Clear() {
  lines = 0;
  complaint = false;
  for (; slots_used > 0; --slots_used) slots[slots_used - size_t{1}] = {};
  watched = 0;
  if (beats.count > 0) beats = {};
  last = seen = {};
  first_time = {};
  last_time.clear();
  in_bracket = false;
  last_text.clear();
  peaks.clear();
}

// Numbers with a fraction that go up and down (a loss) or never move (a scale), and those that hardly move beside one
// that does (`12%` beside `1201/10000`): they count no work unless their word or their total says so.
void PulseTable::Kind::DropNoise() {
  uint64_t most = 0;
  for (const Slot& slot : slots) most = std::max(most, slot.whole ? uint64_t{slot.grew} : 0);
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    if (slot.unit != nullptr || slot.total >= 0) continue;
    const bool noise =
        slot.grew * uint64_t{4} < most || (!slot.whole && (slot.grew == 0 || slot.fell * uint64_t{4} > lines));
    if (noise) watched &= static_cast<uint8_t>(~(1u << i));
  }
}

// The numbers of a kind that is new.
void PulseTable::Watch(PulseLine& read, Kind* kind) {
  const size_t counters = read.FindCounters(&kind->counters);
  kind->slots_used = static_cast<uint8_t>(counters);
  bool whole = true;
  for (size_t i = 0; i < counters; ++i) {
    kind->watched |= static_cast<uint8_t>(1u << i);
    Slot& slot = kind->slots[i];
    const PulseLine::Counter& counter = kind->counters[i];
    if (counter.of) slot.total = read.Value(counter.number + size_t{1}, &whole);
    slot.first = slot.most = read.Value(counter.number, &whole);
    slot.whole = whole;
    slot.unit = read.UnitOf(counter);
    slot.of = read.TotalOf(counter);
    slot.seconds = read.SecondsOf(counter.number, kind->complaint);
  }
}

void PulseTable::AddNews(Stream& stream, const ParsedLine& line) {
  stream.news.Add(line.number);
  stream.last_news = line.text.substr(0, PulseLine::kReach);
}

// Where many new things are said, as in a book, the trail keeps few of them and counts the others: only those that it
// keeps are read, and the last ones, as it matters whether anything was said behind an alarm.
void PulseTable::NoteText(uint32_t process, const ParsedLine& line, PulseLine* read) {
  Stream& stream = StreamOf(process);
  if (!stream.texts.Add(read->kind())) return;
  if (stream.news.count % stream.news.every == 0) {
    if (!read->Complains()) AddNews(stream, line);
    return;
  }
  ++stream.news.count;
  Unread& unread = unread_[next_unread_++ % kUnread];
  unread.process = process;
  unread.line = line.number;
  unread.text = line.text.substr(0, PulseLine::kReach);
}

void PulseTable::ReadLastTexts() {
  for (size_t i = 0; i < kUnread; ++i) {
    Unread& unread = unread_[(next_unread_ + i) % kUnread];
    if (!unread.text.empty() && !PulseLine(unread.text, &layouts_).Complains()) {
      Stream& stream = StreamOf(unread.process);
      if (unread.line > stream.news.last) {
        stream.news.last = unread.line;
        stream.last_news = unread.text;
      }
    }
    unread.text.clear();
  }
}

// The hot path of lines that are not NCCL's: a layout, a kind, and a comparison for each number that is watched.
void PulseTable::Note(uint32_t process, const ParsedLine& line, bool whole) {
  PulseLine read(line.text, &layouts_);
  if (!read.HasDigits()) return NoteText(process, line, &read);
  Stream& stream = StreamOf(process);
  Kind* kind = Find(stream, read.kind());
  if (kind == nullptr) {
    // A bar without a line end, and the next message glued to it, which is of a kind of its own:
    //     9/10 [=====>..] - ETA: 0s 80ms/stepE1122 11:11:52.503438 30384 watchdog.py:103] rank 0: no progress
    const std::string_view said = whole && read.MayHaveBar() ? WithoutProgressBar(line.text) : line.text;
    if (said.size() < line.text.size()) {
      ParsedLine part = line;
      part.text = line.text.substr(0, line.text.size() - said.size());
      Note(process, part, false);
      part.text = said;
      return Note(process, part, false);
    }
    kind = &Add(stream, read.kind());
    kind->lines = 1;
    kind->seen.line = line.number;
    kind->seen.offset = line.offset;
    kind->complaint = read.Complains();
    Watch(read, kind);
    kind->prepares = read.MayHaveBar() && PreparesWork(line.text);
    // Who is about to count says nothing yet, and leaves that behind when he ends:
    //     0%|          | 0/500 [00:00<?, ?it/s]
    const auto begins = [](const Slot& slot) { return slot.total > 1 && slot.first == 0; };
    if (!kind->complaint && std::none_of(kind->slots.begin(), kind->slots.begin() + kind->slots_used, begins)) {
      AddNews(stream, line);
    }
    return;
  }
  ++kind->lines;
  kind->seen.line = line.number;
  kind->seen.offset = line.offset;
  bool grew = false;
  bool counts = false;   // one of its numbers says of how many, and has grown before
  bool counted = false;  // it changed, or a number that counts work grew
  bool integral = true;
  bool carried = false;  // a number went on by one
  bool told = false;     // its words say what it counts, or of how many
  double of_how_many = 0;
  size_t behind = SIZE_MAX;  // the number that of_how_many is
  for (uint8_t watched = kind->watched; watched != 0; watched &= static_cast<uint8_t>(watched - 1)) {
    const auto i = static_cast<size_t>(std::countr_zero(watched));
    Slot& slot = kind->slots[i];
    const PulseLine::Counter& counter = kind->counters[i];
    const double value = counter.number == behind ? of_how_many : read.Value(counter.number, &integral);
    slot.whole = slot.whole && integral;
    told = told || slot.unit != nullptr || counter.of;
    if (counter.of) {
      behind = counter.number + size_t{1};
      of_how_many = read.Value(behind, &integral);
      slot.unsure_total = slot.unsure_total || (slot.total >= 0 && of_how_many != slot.total);
      slot.total = of_how_many;
    }
    if (counter.of && slot.grew >= kLeastBeats) {
      counts = true;
      counted = counted || value != slot.most;
    }
    if (value > slot.most) {
      carried = carried || (slot.whole && value == slot.most + 1);
      slot.most = value;
      ++slot.grew;
      grew = true;
      counted = counted || slot.unit != nullptr;
    } else if (value < slot.most) {
      ++slot.fell;
      if (!grew && value > slot.first) continue;
      if (slot.grew > 0) kind->AddPeak({static_cast<uint8_t>(i), {kind->last.line, slot.most, carried}});
      slot.most = value;  // the next epoch, the next bar
    }
  }
  if (kind->lines == kNoiseLines) kind->DropNoise();
  // A bar that is drawn once more when the program ends: the count stands, its clock went on.
  //   1999/100000 [1:00:50<46:35:27, 1.71s/it]      1999/100000 [1:02:30<51:04:52, 1.88s/it]
  if (!grew || (counts && !counted)) return;
  std::string_view time = line.outer.time.substr(0, 64);
  if (time.empty() && (kind->in_bracket || !kind->first_time.valid())) {
    time = InBracket(line.text);
    // Looked at once: lines of a kind have it in the same place.
    if (!kind->first_time.valid()) time = time.substr(0, TimestampLength(time, nullptr));
    kind->in_bracket = !time.empty();
  }
  if (time.empty() && BeginsWithGlogStamp(line.text)) time = StampIn(line.text);
  if (!kind->first_time.valid() && !time.empty()) {
    kind->first_time = builder_->Intern(time);
    for (Slot& slot : kind->slots) slot.stamped = slot.most;
  }
  kind->beats.Add(line.number);
  if (kind->beats.count >= kLeastBeats) stream.marks[stream.latest] |= kBeats;
  kind->last.line = line.number;
  kind->last.offset = line.offset;
  if (!time.empty()) kind->last_time.assign(time);
  if (!told) kind->last_text.assign(line.text.substr(0, kBeatTextKept));
}

// The kinds of a segment go on where those of the source stopped; sums add up, what was first stays.
void PulseTable::Join(PulseTable& segment, SegmentTranslation& in_source) {
  ReadLastTexts();
  segment.ReadLastTexts();
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
    if (!from.last_news.empty()) into.last_news = from.last_news;
    for (const Kind& kind : from.kinds) {
      Kind* known = Find(into, kind.number);
      const bool fresh = known == nullptr;
      if (fresh) known = &Add(into, kind.number);
      known->complaint = kind.complaint;
      known->prepares = known->prepares || kind.prepares;
      known->counters = kind.counters;
      known->watched = kind.watched;
      known->slots_used = static_cast<uint8_t>(known->slots.size());
      known->lines += kind.lines;
      for (size_t i = 0; i < kind.slots.size(); ++i) {
        const double first = known->slots[i].first;
        const uint32_t grew = known->slots[i].grew;
        const uint32_t fell = known->slots[i].fell;
        const double stamped = known->slots[i].stamped;
        known->slots[i] = kind.slots[i];
        known->slots[i].grew += grew;
        known->slots[i].fell += fell;
        if (!fresh) known->slots[i].first = first;
        if (known->first_time.valid()) known->slots[i].stamped = stamped;
      }
      for (const Peak& peak : kind.peaks) {
        known->AddPeak({peak.slot, {in_source.Line(peak.at.line), peak.at.value, peak.at.carried}});
      }
      known->beats.Join(moved(kind.beats));
      if (known->beats.count >= kLeastBeats) into.marks[into.latest] |= kBeats;
      if (kind.seen.line != 0) known->seen = {in_source.Line(kind.seen.line), kind.seen.offset, {}};
      if (kind.last.line != 0) known->last = {in_source.Line(kind.last.line), kind.last.offset, {}};
      if (!known->first_time.valid()) known->first_time = in_source.Text(kind.first_time);
      if (!kind.last_time.empty()) known->last_time = kind.last_time, known->in_bracket = kind.in_bracket;
      if (!kind.last_text.empty()) known->last_text = kind.last_text;
    }
  }
}

}  // namespace ncclwhy
