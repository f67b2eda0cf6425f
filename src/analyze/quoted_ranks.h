// Whose words these are, where the line does not say it and one near it does.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/evidence.h"

namespace ncclwhy {

class QuotedRanks {
 public:
  // Borrows the findings of `items`.
  explicit QuotedRanks(const std::vector<EvidenceItem>& items);

  // NCCL prints no rank with a WARN, but the program that quotes it often does:
  // "worker-45: rank 0: failure … / Failed to CUDA host alloc 4 bytes". The nearest such line that names the host; -1
  // when there is none.
  int32_t OfHost(const Finding& f, std::string_view host, ProcessId process) const;

  // A traceback names nobody, the watchdog that repeats its words does:
  //   RuntimeError: CUDA error: uncorrectable ECC error encountered
  //   [Rank 1] NCCL watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered
  // -1 when nobody repeats them, or several ranks do.
  int32_t OfWords(const Finding& f) const;

 private:
  template <typename Visit>
  void ForEachNear(const Finding& f, Visit visit) const;

  std::vector<const Finding*> placed_;  // those with a line, by source and line
};

}  // namespace ncclwhy
