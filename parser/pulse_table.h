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
#include "parser/pulse_line.h"
#include "parser/pulse_words.h"

namespace ncclwhy {

class PulseTable {
 public:
  explicit PulseTable(FactsBuilder* builder) : builder_(builder) {}

  // A line of a program in a stream of the source, without its prefixes.
  void Note(uint32_t process, const ParsedLine& line);
  // Puts what a later segment of the source learned behind this.
  void Join(const PulseTable& segment, SegmentTranslation& in_source);
  // Writes pulses and news into the facts.
  void Finish();

 private:
  struct Peak {
    uint8_t slot = 0;
    PulsePeak at;
  };
  // One number of a kind of line.
  struct Slot {
    double first = 0;
    double most = 0;  // since it last began anew
    double total = -1;
    uint32_t grew = 0;
    bool whole = true;
    const WorkUnit* unit = nullptr;  // its word says that it counts work
    bool unsure_total = false;       // it changed
  };
  struct Kind {
    uint32_t number = 0;  // PulseLine::kind
    uint64_t lines = 0;
    bool complaint = false;
    bool came_back = false;  // since somebody looked for room
    PulseLine::Counters counters;
    size_t counted = 0;
    std::array<Slot, limits::kPulseNumbers> slots;  // beside counters
    LineTrail beats;
    LineRef last;
    StringId first_time;
    std::string last_time;
    std::vector<Peak> peaks;
    void AddPeak(const Peak& peak);
  };
  struct Stream {
    std::vector<Kind> kinds;
    std::vector<uint32_t> numbers;  // of the kinds
    size_t latest = 0;              // index into kinds
    size_t hand = 0;                // the kind that is asked first whether it can go
    LineTrail news;
  };
  Stream& StreamOf(uint32_t process);
  static Kind* Find(Stream& stream, uint32_t number);
  Kind& Add(Stream& stream, uint32_t number);
  static const Slot* BestSlot(const Kind& kind);

  FactsBuilder* builder_;
  std::vector<Stream> streams_;  // by process + 1
  size_t kinds_ = 0;             // over all streams
};

}  // namespace ncclwhy
