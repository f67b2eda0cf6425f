// LineTimes: when a line was written. By its own stamp, else by the nearest one in front of it in the same source: a
// traceback has none, and the step that was told just before it has.
//
//   2026-11-22 11:09:13,887 - INFO - train.py:212 - [rank 0] step=15/30 loss=7.7085
//   Traceback (most recent call last):
//     …
//   RuntimeError: mat1 and mat2 shapes cannot be multiplied          → 2026-11-22 11:09:13,887
//
// Of stamps only those are known that something else asked for: of events, of hits of rules, of pulses and waits.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analyze/case_file.h"

namespace ncclwhy {

class LineTimes {
 public:
  // Borrows the case; views that it gives are of its facts and findings.
  explicit LineTimes(const CaseFile& c);

  struct Stamp {
    std::string_view time;  // as printed; empty: not known
    uint64_t line = 0;      // that bears it
  };
  // The stamp of the line itself; `text` is what is known of it.
  Stamp Own(SourceId source, uint64_t line, std::string_view text) const;
  // The same, else one that is lent. Nobody lends in a source whose stamps do not run forward: several logs that were
  // put behind each other, or clocks of several hosts that do not agree.
  Stamp Of(SourceId source, uint64_t line, std::string_view text);
  // The first and the last ones of a source, or none.
  std::vector<Stamp> EndsOf(SourceId source) const;

 private:
  struct Lent {
    uint32_t line = 0;
    std::string_view time;
    bool inside = false;  // it stands within the words of the line, and may be of something else than the line
    bool operator<(const Lent& other) const { return line < other.line; }
  };
  struct Source {
    std::vector<Lent> stamps;  // of pulses, waits and findings, by line
    bool asked = false;
    bool forward = false;
  };
  bool RunsForward(SourceId source);
  // The latest stamp of an event in front of a line.
  Stamp OfEventBefore(const SourceFacts& facts, uint64_t line) const;

  const JobModel& model_;
  std::vector<Source> sources_;  // by SourceId
};

}  // namespace ncclwhy
