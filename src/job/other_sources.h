// What other sources tell of somebody's end: the job went on without him, he was only told to leave, it was all done.
// Files have no common clock, so what their stamps say is believed where they can be compared, and where words fit to
// it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"
#include "job/work_ends.h"

namespace ncclwhy {

// Borrows model and signs. Any number of threads may ask. Ranks are alike: of thousands a few that came to their end,
// or ended, stand for all, so that each question costs the same however many there are.
class OtherSources {
 public:
  OtherSources(const JobModel& model, const std::vector<LifeSign>& signs);
  // Before any question: where the work of each source came to its end. Borrowed, too.
  void Know(const WorkEnds& ends);

  // Whether the end that `sign` tells is not that of the job, as other sources show: the work went on in one of them
  // after words of a loss or a restart, and came to its end; who runs the job says later that it succeeded; its record
  // goes on to COMPLETED; or it was told to leave when the others were done.
  bool Overcame(const LifeSign& sign) const;
  // Whether a machine's log tells of the end of a process that nobody knows in the job, which came to its end: on a
  // machine that others use, too, it is one of theirs.
  //   Memory cgroup out of memory: Killed process 1204533 (python3)      Finished. Best val_mae 0.0778 (epoch 60)
  bool IsStrangers(const LifeSign& sign) const;
  // Whether one of those that ended of themselves in another source did so seconds to half an hour before `sign`.
  bool EndedJustBefore(const LifeSign& sign) const;

 private:
  bool WentOn(const LifeSign& sign) const;
  bool RecordedWell(const LifeSign& sign) const;
  bool ToldDone(const LifeSign& sign) const;
  bool LeftWhenDone(const LifeSign& sign) const;
  // Whether a source that works on behind it has a word of a loss or of another attempt.
  bool SaysSo(uint32_t source) const;
  // Whether it counts something for more than a few lines, as a table of events does not.
  bool Works(uint32_t source) const;
  // Whether `b` never worked, or had come as far as `a` when that was done.
  bool AsFarAs(uint32_t a, uint32_t b) const;
  // Whether the work that `b` came to its end with went further than that of `a`, and began behind `ended` or was done
  // long behind it.
  bool IsNext(uint32_t a, uint32_t b, std::string_view ended) const;
  // The stamp of the first one; empty without.
  std::string_view FirstBeat(uint32_t source) const;
  uint64_t WorkBehind(uint32_t source, uint32_t line) const;
  // When a sign was printed: by its own stamp, else by the latest beat in front of it, which is not far before its end.
  // Empty where neither has one.
  std::string_view TimeOf(const LifeSign& sign) const;
  // When the work of a source came to its end.
  std::string_view DoneAt(uint32_t source) const;

  const JobModel& model_;
  std::vector<std::vector<const LifeSign*>> of_source_;  // by source, in the order of lines
  std::vector<const LifeSign*> records_;                 // of schedulers, under the id of a job
  const WorkEnds* ends_ = nullptr;
  bool restarted_ = false;             // somebody who only watches has a word of another attempt
  std::vector<uint32_t> done_;         // sources that came to their end with their work
  std::vector<uint32_t> said_;         // those of them with a word of a loss
  std::vector<const LifeSign*> told_;  // good ends of the job, of whoever runs it, with nothing worse behind
  std::vector<const LifeSign*> own_;   // ends that somebody came to by himself
};

// An end that somebody came to by himself: not by a signal that asks to leave.
bool IsOwnEnd(const LifeSign& sign);

// A signal by which schedulers and launchers ask to leave, by number or name: who dies of it was told to.
bool IsRequest(std::string_view signal);

}  // namespace ncclwhy
