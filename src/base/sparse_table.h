// SparseTable: a value for each number below a bound, of which few are ever asked for. Made often, and so cheaply: four
// bytes a number, where an array of values takes the size of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ncclwhy {

// Values are made as T() when first asked for. Not thread-safe.
template <typename T>
class SparseTable {
 public:
  // Room for the numbers 0 to `size` - 1.
  explicit SparseTable(size_t size) : places_(size) { values_.emplace_back(); }

  // `number` is below the bound. The reference is good until another number is asked for the first time.
  T& operator[](size_t number) {
    uint32_t& place = places_[number];
    if (place == 0) {
      place = static_cast<uint32_t>(values_.size());
      values_.emplace_back();
    }
    return values_[place];
  }

 private:
  std::vector<uint32_t> places_;  // in values_; 0: none yet
  std::vector<T> values_;         // the first is nobody's
};

}  // namespace ncclwhy
