// WhichEnd: which of several ends, or waits, a line of a rule tells of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "rules/engine/hit_index.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

// One process, or launcher, may report several ends: 0 and then 1 are two, so are an exception that was caught
// ("torch.cuda.OutOfMemoryError: …") and the one that was not ("KeyError: 'loss'"). Who waits for rank 3 and, with
// other lines between, for rank 6, waits twice; the rows of one list are one:
//   Missing ranks:
//   0: [grads_1]
//   2: [grads_0]
//
// Of one rule, which has to live as long. Asked with the hits of a pattern in the order of lines.
class WhichEnd {
 public:
  explicit WhichEnd(const Rule& rule) : rule_(rule) {}

  // Equal for hits that tell of the same one; empty for rules that tell of none.
  std::string Of(const PlacedHit& placed, const HitIndex& index);

 private:
  struct Waiting {
    uint32_t line = 0;  // the latest one of the list
    std::string whose;
  };
  const Rule& rule_;
  std::map<std::pair<uint32_t, uint32_t>, Waiting> waits_;  // by source and process there
};

}  // namespace ncclwhy
