// Faults of the program's logic: one rank calls something else than the others.
#include <algorithm>

#include "gen/ending.h"
#include "gen/fault.h"

namespace ncclwhy::bench {
namespace {

class Mismatch : public Fault {
 public:
  explicit Mismatch(const Job& job) : Fault(job), culprit_(CulpritRank()) {
    // A few calls before the end, and where two neighbouring calls differ.
    at_ = steps() > 5 ? steps() - 4 : 0;
    while (at_ > 0 && WorldCall(at_).function == WorldCall(at_ + 1).function) --at_;
  }
  Label MakeLabel() const override {
    return {"app.collective-mismatch", {}, RankOnHost(culprit_), "", job().spec().verbosity >= Verbosity::kColl};
  }
  void AtEnd(Printer* printer) const override { PrintTimeoutAndAbort(printer); }

 protected:
  int culprit() const { return culprit_; }
  uint64_t at() const { return at_; }

 private:
  int culprit_;
  uint64_t at_ = 0;
};

class SkippedCall : public Mismatch {
 public:
  using Mismatch::Mismatch;
  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    if (rank == culprit()) fate.calls -= std::min<uint64_t>(fate.calls, 1);
    return fate;
  }
  Call CallOf(int rank, uint64_t index) const override {
    return WorldCall(rank == culprit() && index >= at() ? index + 1 : index);
  }
};

class OtherCount : public Mismatch {
 public:
  using Mismatch::Mismatch;
  Fate FateOf(int rank) const override {
    Fate fate = Fault::FateOf(rank);
    fate.calls = at() + 1;
    return fate;
  }
  Call CallOf(int rank, uint64_t index) const override {
    Call call = WorldCall(index);
    if (rank == culprit() && index == at()) call.count /= 2;
    return call;
  }
};

class SwappedCalls : public Mismatch {
 public:
  using Mismatch::Mismatch;
  Call CallOf(int rank, uint64_t index) const override {
    if (rank != culprit() || index < at() || index > at() + 1) return WorldCall(index);
    return WorldCall(index == at() ? index + 1 : index - 1);
  }
};

}  // namespace

std::vector<FaultKind> CollectiveFaults() {
  return {
      {"skipped-call", "one rank leaves out a collective", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<SkippedCall>(job); }},
      {"other-count", "one rank calls a collective with another count", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<OtherCount>(job); }},
      {"swapped-calls", "one rank calls two collectives in another order", false,
       [](const Job& job) -> std::unique_ptr<Fault> { return std::make_unique<SwappedCalls>(job); }},
  };
}

}  // namespace ncclwhy::bench
