// Counters: what happened to the input, one row per counter in counters.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ncclwhy {

enum class Counter : uint8_t {
#define X(id, name, severity, sentence) id,
#include "base/counters.def"
#undef X
  kCount_
};

struct CounterInfo {
  std::string_view name;
  bool loss;                  // something was not analysed
  std::string_view sentence;  // for people, behind the number: "lines with NUL or many control bytes"
};
// Valid for the life of the program.
const CounterInfo& InfoOf(Counter counter);

// Of one source, or of the job: merged by addition, so in any order.
class Counters {
 public:
  void Add(Counter c, uint64_t n = 1) { values_[static_cast<size_t>(c)] += n; }
  uint64_t Get(Counter c) const { return values_[static_cast<size_t>(c)]; }
  void Merge(const Counters& other) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += other.values_[i];
  }

 private:
  std::array<uint64_t, static_cast<size_t>(Counter::kCount_)> values_{};
};

}  // namespace ncclwhy
