// LatestTexts: the last text of each of many things: processes, streams of collectives. Nearly every text is replaced
// by the next line of the same thing, so one that stands in the reader's buffer is copied only when that buffer goes
// away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

class LatestTexts {
 public:
  // `lasting`: the text stays where it is until Settle.
  void Set(uint32_t thing, std::string_view text, bool lasting) {
    if (thing >= slots_.size()) slots_.resize(thing + size_t{1});
    Slot& slot = slots_[thing];
    if (lasting) {
      slot.text = text;
      if (slot.borrowed) return;
      slot.borrowed = true;
      borrowed_.push_back(thing);
    } else {
      slot.borrowed = false;
      slot.own.assign(text);
    }
  }

  // The buffer behind lasting texts is about to go away.
  void Settle() {
    for (const uint32_t thing : borrowed_) {
      Slot& slot = slots_[thing];
      if (slot.borrowed) slot.own.assign(slot.text);
      slot.borrowed = false;
    }
    borrowed_.clear();
  }

  // Empty when there was none. Only after Settle.
  std::string_view Get(uint32_t thing) const {
    return thing < slots_.size() ? std::string_view(slots_[thing].own) : std::string_view{};
  }

 private:
  struct Slot {
    std::string_view text;
    bool borrowed = false;
    std::string own;
  };
  std::vector<Slot> slots_;
  std::vector<uint32_t> borrowed_;  // may name a thing twice
};

}  // namespace ncclwhy
