// Noise: lines of other programs between those of NCCL, and lines that other output cut in two.
#pragma once

#include <string>

#include "gen/random.h"
#include "gen/spec.h"

namespace ncclwhy::bench {

class Noise {
 public:
  Noise(const Spec& spec, int rank);
  // Changes a piece of whole lines as the spec asks; it still ends with a newline.
  void Add(std::string* piece);

 private:
  void AddForeign(std::string* piece);
  void Tear(std::string* piece);

  bool foreign_, torn_;
  int rank_;
  uint64_t step_ = 0;
  Random random_;
};

}  // namespace ncclwhy::bench
