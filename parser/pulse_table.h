// PulseTable: learns from the lines of a source which of them are the pulse of its work. A pulse is a kind of line that
// comes back while a number in it grows, whatever the program is:
//   step=41200 loss=2.13        12%|##   | 12/100 [00:03<00:26, 3.4it/s]        8192   2048  float  sum  41.2
// What a kind is, what its numbers are and which lines are no work however they grow: see parser/pulse_line.h.
//
// One for each source; bounded by limits::kPulses…; does not depend on chunks or threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "parser/facts.h"
#include "parser/facts_builder.h"
#include "parser/pulse_layouts.h"
#include "parser/pulse_line.h"
#include "parser/pulse_words.h"

namespace ncclwhy {

// Not thread-safe. What a line costs does not grow with the kinds seen: the latest kind is asked first, and 64 are
// watched at most.
class PulseTable {
 public:
  explicit PulseTable(FactsBuilder* builder) : builder_(builder) {}

  // A line of a program in a stream of the source, without its prefixes. In the order of the source: growing is told
  // from the line before.
  void Note(uint32_t process, const ParsedLine& line) { Note(process, line, true); }
  // Puts what a later segment of the source learned behind this.
  void Join(PulseTable& segment, SegmentTranslation& in_source);
  // Writes pulses and news into the facts. A kind is a pulse when its best number grew three times, and in one of
  // sixteen of its lines at least; of one stream at most limits::kPulsesKept are kept, the latest ones and the one that
  // beat most.
  void Finish();

 private:
  // A number of the kind began anew: which one, and how far it had come.
  struct Peak {
    uint8_t slot = 0;
    PulsePeak at;
  };
  // One number of a kind of line.
  struct Slot {
    double first = 0;                // of the line in which the kind came first
    double most = 0;                 // since it last began anew
    double stamped = 0;              // in the first beat that has a time
    double total = -1;               // of how many, as `38/40` says it; -1: it does not
    uint32_t grew = 0;               // lines in which it was above all since it last began anew
    uint32_t fell = 0;               // lines in which it went back
    bool whole = true;               // it never had a fraction
    const WorkUnit* unit = nullptr;  // its word says that it counts work
    bool unsure_total = false;       // it changed
    double seconds = 0;              // that one of it is, where it says for how long somebody waits
    const WorkUnit* of = nullptr;    // it says of how many of these: max_steps
  };
  // What is remembered of a kind of line; limits::kPulsesPerStream bounds how many there are.
  struct Kind {
    uint32_t number = 0;  // PulseLine::kind
    uint64_t lines = 0;
    bool complaint = false;
    bool prepares = false;  // what it counts comes before the work
    PulseLine::Counters counters;
    uint8_t slots_used = 0;                         // of slots; the others are as they began
    uint8_t watched = 0;                            // of counters: a bit for each
    std::array<Slot, limits::kPulseNumbers> slots;  // beside counters
    LineTrail beats;
    LineRef last;
    LineRef seen;  // its latest line, a beat or not
    StringId first_time;
    bool in_bracket = false;  // its stamps stand in a bracket of the text
    std::string last_time;    // and what follows, where they do
    std::string last_text;    // its beginning, where no word says what it counts
    std::vector<Peak> peaks;
    std::string_view LastStamp() const;
    void AddPeak(const Peak& peak);
    void DropNoise();
    void Clear();
  };
  // What is asked of a kind when there is no room: whether it came back since, and whether it beats.
  enum Mark : uint8_t { kCameBack = 1, kBeats = 2 };
  // Which texts without a number were told of late: eight of each of 32 groups, the oldest goes.
  // Where it forgets a text that comes again, that is news twice: a bound on memory, and harmless.
  class Texts {
   public:
    // Whether it is new.
    bool Add(uint32_t text);

   private:
    static constexpr size_t kGroups = 32;
    static constexpr size_t kOfGroup = 8;
    std::vector<uint32_t> texts_;  // kGroups × kOfGroup, 0: none; empty before the first one
    std::array<uint8_t, kGroups> next_{};
  };
  // Kinds are found by number in a vector beside them, which one cache line or a few hold.
  struct Stream {
    std::vector<Kind> kinds;
    std::vector<uint32_t> numbers;  // of the kinds
    std::vector<uint8_t> marks;     // likewise
    size_t latest = 0;              // index into kinds
    size_t hand = 0;                // the kind that is asked first whether it can go
    // The kind in whose place a new one is put.
    size_t NextToGo();
    Texts texts;
    LineTrail news;
    std::string last_news;  // its text
  };
  // A text without a number of which nobody has looked yet whether it complains.
  struct Unread {
    uint32_t process = kNoProcess;
    uint32_t line = 0;
    std::string text;
  };
  // `whole`: a message may be glued to a bar in it, which are two lines then.
  void Note(uint32_t process, const ParsedLine& line, bool whole);
  static constexpr size_t kUnread = 8;
  static constexpr uint32_t kLeastBeats = 3;  // so often a number grew in what is a pulse

  Stream& StreamOf(uint32_t process) {
    const size_t index = process == kNoProcess ? 0 : process + size_t{1};
    return index < streams_.size() ? streams_[index] : NewStream(index);
  }
  Stream& NewStream(size_t index);
  // A line without a number: news, unless its like was told of late or it complains.
  void NoteText(uint32_t process, const ParsedLine& line, PulseLine* read);
  // Looks at the texts that were only counted: whether the last ones complain.
  void ReadLastTexts();
  static void AddNews(Stream& stream, const ParsedLine& line);
  static Kind* Find(Stream& stream, uint32_t number) {
    const bool latest = stream.latest < stream.numbers.size() && stream.numbers[stream.latest] == number;
    if (!latest) return FindAmong(stream, number);
    stream.marks[stream.latest] |= kCameBack;
    return &stream.kinds[stream.latest];
  }
  // Null: the stream has no such kind now.
  static Kind* FindAmong(Stream& stream, uint32_t number);
  // Begins to watch the numbers of a kind that is new.
  static void Watch(PulseLine& read, Kind* kind);
  // In the place of another one when there is no room.
  Kind& Add(Stream& stream, uint32_t number);
  // The number that says most of the work; null where none grew.
  static const Slot* BestSlot(const Kind& kind);
  // The bar that a pulse fills up is drawn in another way once it is full, each time alike: then it has come to its
  // end.
  //   200/312 [=========>......] - ETA: 22s - loss: 0.41      312/312 [==============] - 61s 195ms/step - loss: 0.40
  static void FillUp(const Stream& stream, PulseFacts* pulse);
  // Whether nothing in its lines changes but one number that counts the seconds between their stamps.
  bool CountsSeconds(const Kind& kind) const;
  WaitFacts WaitOf(const Kind& kind, uint32_t process);
  // A number that is 0 or 1 and of which nothing says that it counts.
  static bool IsFlag(const Slot& slot);
  // A constant number of the same line that says of how many; -1 without.
  static double TotalBeside(const Kind& kind, const Slot& best);

  FactsBuilder* builder_;
  PulseLayouts layouts_;
  std::array<Unread, kUnread> unread_;  // the latest ones, in a ring
  size_t next_unread_ = 0;
  std::vector<Stream> streams_;  // by process + 1
  size_t kinds_ = 0;             // over all streams
};

}  // namespace ncclwhy
