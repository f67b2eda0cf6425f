// The steps of a story on one clock: each is stamped by the clock of its host, and clocks of hosts stand apart.
//
//   node1  10:11:12 lost its peer      node2's clock is 37.2 s ahead (±0.4 s, from 1 shared event): what broke there at
//   node2  10:11:48 /dev/shm is full   10:11:48 was at 10:11:10.8 by node1's
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "job/host_clocks.h"
#include "job/job_model.h"
#include "ncclwhy/report.h"
#include "parser/clock.h"

namespace ncclwhy {

class StoryClock {
 public:
  // Borrows the model.
  explicit StoryClock(const JobModel& model);

  // Fills `seconds` and `moved` of the steps, which stand in the order of the story; `stamped` are the lines whose
  // stamps they have. Returns the hosts whose clocks do not agree with another one's: by what both have seen, or
  // because what followed is stamped before what broke.
  std::vector<HostOffset> Put(const std::vector<uint64_t>& stamped, std::vector<TimelineStep>* steps);

  // Whether two of the steps that were put stand at different times.
  bool runs() const { return runs_; }
  // Seconds from the first step to another stamp of the job, that of a line; nothing where the two cannot be compared.
  std::optional<double> SecondsOf(SourceId source, uint64_t line, std::string_view time) const;

 private:
  // When a step was, by its own clock (raw) and by the reference's (aligned): seconds of the clock's scale, which only
  // compare.
  struct Stamp {
    std::optional<Instant> at;
    std::string_view host;  // by whose clock; empty where it is not known
    double raw = 0;
    double aligned = 0;
    bool lent = false;  // by a line in front of it: it was not before
  };
  void Stamps(const std::vector<uint64_t>& stamped, std::vector<TimelineStep>* steps);
  void DropOtherZone(const std::vector<TimelineStep>& steps);
  std::string_view HostOf(SourceId source, uint64_t line) const;
  double MovedAt(std::string_view host) const;
  uint64_t StepsOf(std::string_view host) const;
  bool TurnsRound(std::string_view host) const;
  void Unknown(std::string_view host, std::string_view reference);
  void AgainstTheStory(const std::vector<TimelineStep>& steps);

  const JobModel& model_;
  const HostClocks clocks_;
  std::map<std::string_view, const HostClock*> measured_;
  std::map<std::string_view, SourceId> sources_;
  std::vector<Stamp> stamps_;  // of the steps
  // Of the stamps that stand on the line of time.
  ClockScale scale_ = ClockScale::kDate;
  bool epochs_ = true;  // seconds since 1970 are among them, as are dates
  bool dates_ = true;
  std::optional<double> first_;
  bool runs_ = false;
  std::vector<HostOffset> out_;
};

}  // namespace ncclwhy
