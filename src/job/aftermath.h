// Aftermath: what became of those who stood at a line. An alarm after which its process works on was survived, one
// after which it never works again was not; evidence and endings are weighed by that.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "job/job_model.h"

namespace ncclwhy {

// Lines after which a program that complained has evidently gone on. Not the lines of one rank: of all in its source.
inline constexpr uint64_t kLifeGoesOn = 150;

// What follows a line in its own source: files have no common clock.
struct After {
  uint64_t own_beats = 0;      // beats of the pulses of the line's process, and its collectives
  uint64_t beats = 0;          // beats of the strongest pulse of anybody who may have to do with it
  uint64_t news = 0;           // new things that anybody says and that are no complaint
  bool beat_before = false;    // the process worked before the line
  bool left_in_order = false;  // it destroyed its communicators behind the line, and aborted none
};

// Borrows the model. Each question looks through the pulses of one source; any number of threads may ask.
class Aftermath {
 public:
  explicit Aftermath(const JobModel& model);
  // `process` may be invalid: nobody's line. All zero where nothing follows, or the source is not known.
  After Of(SourceId source, uint32_t line, ProcessId process) const;
  // Whether everybody who speaks in a source did so in front of a line, too, and works behind it: then whoever the line
  // speaks of, nobody there died of it.
  bool EverybodyWorks(SourceId source, uint32_t line) const;
  // Whether all that worked before a line is silent behind it, while something else begins and works steadily: another
  // program in the same output, whose work overcomes nothing.
  bool OthersWork(SourceId source, uint32_t line) const;

 private:
  // What NCCL says of the communicators of one process in one source. Asked for every alarm, so read once.
  struct Communicators {
    std::vector<uint32_t> inits;  // lines, in order
    uint32_t last_destroy = 0;
    uint32_t last_abort = 0;
  };

  // Whether work of `b` says nothing of `a`: both were there at once, and no chain of communicators joins them.
  bool Apart(ProcessId a, ProcessId b, SourceId source, uint32_t line) const;

  // Of two processes of one communicator, both of which were there from its beginning, one has all its lines behind all
  // of the other's: logs were put one behind the other (`cat rank0.log rank1.log`), and what stands behind the seam did
  // not come later.
  void FindSeams();

  const JobModel& model_;
  std::vector<std::vector<uint32_t>> seams_;  // [source] the lines at which another log begins, ascending
  std::vector<uint32_t> group_;               // by process; kNobody: in no communicator
  std::vector<std::unordered_map<uint32_t, Communicators>> communicators_;  // [source][ProcessId]
};

// A pulse that says of how many, and has reached it: `50/50`. A total of one counts nothing.
bool IsComplete(const PulseFacts& pulse);

}  // namespace ncclwhy
