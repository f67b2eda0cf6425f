// PulseLayouts: what a line was found to be whose digits alone are others. `step 41200 loss 2.13` and `step 41201 loss
// 1.97` have numbers at the same places and are of one kind, and what their words say of them is the same; only what
// they hold has to be read again.
//
// One for each PulseTable. Which line is remembered changes no answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ncclwhy {

// A text with more numbers than kNumbers has the first ones of them only.
struct PulseLayout {
  static constexpr size_t kNumbers = 48;
  uint64_t key = 0;  // of the text with its digits masked
  uint32_t kind = 0;
  uint32_t count = 0;  // of its numbers
  std::array<uint16_t, kNumbers> at;

  // Found out when somebody first asks. A bit for each number:
  bool studied = false;
  enum class Complaint : uint8_t { kNo, kYes, kDigitsDecide } complaint = Complaint::kNo;
  uint64_t counters = 0;   // it may count work
  uint64_t long_ones = 0;  // unless it is the time since 1970
  uint64_t of = 0;         // what is behind it says of how many
  uint64_t times = 0;      // a unit of time is behind it
  bool may_have_bar = false;
  // By number: what its word says, as pulse_words.h numbers that.
  std::array<uint8_t, kNumbers> units, totals;
};

class PulseLayouts {
 public:
  // The layout with this key, or null. Valid until the next Add.
  PulseLayout* Find(uint64_t key) {
    if (slots_.empty()) return nullptr;
    PulseLayout& slot = slots_[key & (slots_.size() - 1)];
    return slot.key == key && slot.count > 0 ? &slot : nullptr;
  }

  // In the place of another one, if need be. Where that happens often the next ones find more room: a bar of ten steps
  // and a counter of five digits have some hundred layouts together.
  PulseLayout* Add(const PulseLayout& layout) {
    if (slots_.empty() || (lost_ > slots_.size() && slots_.size() < kMost)) {
      slots_.assign(slots_.empty() ? kFirst : slots_.size() * 4, {});
      lost_ = 0;
    }
    PulseLayout& slot = slots_[layout.key & (slots_.size() - 1)];
    lost_ += slot.count > 0 ? 1 : 0;
    slot = layout;
    return &slot;
  }

 private:
  // Room for layouts: grown fourfold from kFirst to kMost as they push one another out.
  static constexpr size_t kFirst = 16;
  static constexpr size_t kMost = 1024;

  std::vector<PulseLayout> slots_;  // by key; a power of two
  size_t lost_ = 0;
};

}  // namespace ncclwhy
