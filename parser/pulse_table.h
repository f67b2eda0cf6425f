// PulseTable: learns from the lines of a source which of them are the pulse of its work. A pulse is a kind of line that
// comes back while a number in it grows, whatever the program is:
//   step=41200 loss=2.13        12%|##   | 12/100 [00:03<00:26, 3.4it/s]        8192   2048  float  sum  41.2
// Kinds are told apart by their skeleton: letters as they stand, numbers masked, blanks, bars and everything that is
// not ASCII left out. Clocks and dates are no numbers, they always grow. Lines that wait, complain or count the dead
// (`still waiting … after 12 s`, `frame #5`) are no work however they grow.
//
// One for each source; bounded by limits::kPulses…; does not depend on chunks or threads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "parser/facts.h"
#include "parser/facts_builder.h"

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
  struct Number {
    double value = 0;
    bool of = false;    // the number behind it says of how many
    bool whole = true;  // no fraction
  };
  // One number of a kind of line.
  struct Slot {
    double first = 0;
    double most = 0;  // since it last began anew
    double total = -1;
    uint32_t grew = 0;
    bool whole = true;
    bool unsure_total = false;  // it changed
  };
  struct Kind {
    uint64_t skeleton = 0;
    uint64_t lines = 0;
    uint64_t latest = 0;  // tick
    bool complaint = false;
    std::array<Slot, limits::kPulseNumbers> slots;
    LineTrail beats;
    LineRef last;
    StringId name, first_time, last_time;
  };
  struct Stream {
    std::vector<Kind> kinds;
    size_t latest = 0;  // index into kinds
    LineTrail news;
  };
  struct Reading {
    uint64_t skeleton = 0;
    std::array<Number, limits::kPulseNumbers> numbers;
    size_t count = 0;
    std::array<size_t, limits::kPulseNumbers> at{};  // where they begin
  };

  static Reading Read(std::string_view text);
  Stream& StreamOf(uint32_t process);
  Kind* Find(Stream& stream, uint64_t skeleton);
  Kind& Add(Stream& stream, uint64_t skeleton);
  static const Slot* BestSlot(const Kind& kind);

  FactsBuilder* builder_;
  std::vector<Stream> streams_;  // by process + 1
  size_t kinds_ = 0;             // over all streams
  uint64_t tick_ = 0;
};

}  // namespace ncclwhy
