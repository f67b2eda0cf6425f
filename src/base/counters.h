// Counters: what happened to the input, one row per counter in counters.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ncclwhy {

// In the order of counters.def. A digest writes counters by their number, so a row that is put between others is a new
// format of digests.
enum class Counter : uint8_t {
#define X(id, name, severity, sentence) id,
#include "base/counters.def"
#undef X
  kCount_
};

struct CounterInfo {
  // As JSON and the view coverage spell it: "clipped_lines". Scripts read it.
  std::string_view name;
  bool loss;                  // something was not analysed
  std::string_view sentence;  // for people, behind the number: "lines with NUL or many control bytes"
};
// Valid for the life of the program.
// Not for kCount_.
const CounterInfo& InfoOf(Counter counter);

// Of one source, or of the job: merged by addition, so in any order.
// Not thread-safe: every reader of a segment has its own.
class Counters {
 public:
  // Overflow is not thought of: 2^64 lines are no log.
  void Add(Counter c, uint64_t n = 1) { values_[static_cast<size_t>(c)] += n; }
  // 0 where nothing was counted.
  uint64_t Get(Counter c) const { return values_[static_cast<size_t>(c)]; }
  // Of segments of one source, of sources of one job.
  void Merge(const Counters& other) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += other.values_[i];
  }

 private:
  // Some two hundred bytes: every source has one, also where all is zero.
  std::array<uint64_t, static_cast<size_t>(Counter::kCount_)> values_{};
};

}  // namespace ncclwhy
