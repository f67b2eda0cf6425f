// What other sources tell of somebody's end: the job went on without him, he was only told to leave, it was all done.
// Files have no common clock, so what their stamps say is believed where they can be compared, and where words fit to
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"

namespace ncclwhy {

// Where the work of each source came to its end: by source its line, 0 = none; the signs that say so.
struct WorkEnds {
  std::vector<uint32_t> lines;
  std::map<uint32_t, const LifeSign*> signs;
};

// Borrows model and signs. Any number of threads may ask.
class OtherSources {
 public:
  OtherSources(const JobModel& model, const std::vector<LifeSign>& signs) : model_(model), signs_(signs) {}

  // Whether the end that `sign` tells is not that of the job, as other sources show: the work went on in one of them
  // after words of a loss or a restart, and came to its end; who runs the job says later that it succeeded; its record
  // goes on to COMPLETED; or it was told to leave when the others were done.
  bool Overcame(const LifeSign& sign, const WorkEnds& ends) const;
  // Whether `first` was printed in another source than `then`, seconds to half an hour before it.
  bool JustBefore(const LifeSign& first, const LifeSign& then) const;

 private:
  bool WentOn(const LifeSign& sign, const WorkEnds& ends) const;
  bool RecordedWell(const LifeSign& sign) const;
  bool ToldDone(const LifeSign& sign, const WorkEnds& ends) const;
  bool LeftWhenDone(const LifeSign& sign, const WorkEnds& ends) const;
  // Whether a source that works on, or one that only watches the job, has a word of a loss or of another attempt.
  bool SaysSo(uint32_t source, uint32_t finish) const;
  // Whether it counts something for more than a few lines, as a table of events does not.
  bool Works(uint32_t source) const;
  // Whether `b` never worked, or had come as far as `a` when that was done.
  bool AsFarAs(uint32_t a, uint32_t b) const;
  // Whether the work that `b` came to its end with went further than that of `a`, and began behind `ended` or was done
  // long behind it.
  bool IsNext(uint32_t a, uint32_t b, std::string_view ended, const WorkEnds& ends) const;
  // The stamp of the first one; empty without.
  std::string_view FirstBeat(uint32_t source) const;
  uint64_t WorkBehind(uint32_t source, uint32_t line) const;
  // When a sign was printed: by its own stamp, else by the latest beat in front of it, which is not far before its end.
  // Empty where neither has one.
  std::string_view TimeOf(const LifeSign& sign) const;
  // When the work of a source came to its end.
  std::string_view DoneAt(uint32_t source, const WorkEnds& ends) const;

  const JobModel& model_;
  const std::vector<LifeSign>& signs_;
};

// A signal by which schedulers and launchers ask to leave, by number or name: who dies of it was told to.
bool IsRequest(std::string_view signal);

}  // namespace ncclwhy
