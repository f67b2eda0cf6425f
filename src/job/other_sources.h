// Whether the job went on in other sources than the one in which somebody's end stands. Files have no common clock, so
// what their stamps say is believed where it fits: comparable stamps, and much more than hosts' clocks differ by.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"

namespace ncclwhy {

// Borrows the model. Any number of threads may ask.
class OtherSources {
 public:
  explicit OtherSources(const JobModel& model) : model_(model) {}

  // Whether the work of a source that came to its end went on for long behind the end of somebody else's: an attempt
  // before, or a node that left a job which can do without it. `finish`: by source, the line of its end, 0 = none.
  bool WentOn(const LifeSign& sign, const std::vector<uint32_t>& finish) const;
  // Whether `first` was printed in another source than `then`, seconds to half an hour before it.
  bool JustBefore(const LifeSign& first, const LifeSign& then) const;

 private:
  // When a sign was printed: by its own stamp, else by the latest beat in front of it, which is not far before its end.
  // Empty where neither has one.
  std::string_view TimeOf(const LifeSign& sign) const;

  const JobModel& model_;
};

}  // namespace ncclwhy
