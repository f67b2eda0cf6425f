// PulseLine: a line of a program as PulseTable sees it: which kind of line it is, what its numbers are, and whether it
// speaks of work at all.
//   [12:00:03] step 41200 of 50000, loss=2.13   →   kind of "step D of D loss D", 41200 (of), 50000
// The kind is a hash of words and numbers in their order: letters as they stand, every number the same, whatever lies
// between them left out (blanks, bars, everything that is not ASCII), of a long line its first ones. Clocks and dates
// are no numbers that could grow: they always do. Nor are those that name somebody (`rank 3`, 0x7fa620ffd640). A line
// without any digit counts nothing: its kind is a hash of all of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/limits.h"
#include "parser/pulse_layouts.h"
#include "parser/pulse_words.h"

namespace ncclwhy {

// Views of its own copy of the text: NameOf and the counters stay valid as long as it lives.
class PulseLine {
 public:
  // A number that may count work: which one of the line's numbers, and whether the one behind it says of how many, as
  // in `38/40`. Lines of one kind have the same ones.
  struct Counter {
    uint8_t number = 0;
    bool of = false;
  };
  using Counters = std::array<Counter, limits::kPulseNumbers>;

  // So much of a line is looked at.
  static constexpr size_t kReach = 320;

  // Looks at the beginning of the line only, at most kReach bytes, and copies it: `text` is not kept. `layouts` is
  // borrowed, and must not be asked about another line while this one lives.
  PulseLine(std::string_view text, PulseLayouts* layouts);

  uint32_t kind() const { return has_digits_ ? layout_->kind : kind_; }
  bool HasDigits() const { return has_digits_; }
  // It waits, complains or counts the dead (`still waiting … after 12 s`, `frame #5`).
  // Asked of a kind of line once, not of each line.
  bool Complains();
  // Fills `counters` from the front and returns how many there are; at most limits::kPulseNumbers, the first ones.
  size_t FindCounters(Counters* counters);
  // `*whole`: it has no fraction. A number that the line does not have is 0, and so is one with an exponent
  // (`6.2E+00`), which nobody counts in. Of more than 18 digits the first ones.
  double Value(size_t number, bool* whole) const;
  // How many seconds one of it is, if the number says how long ago something was, or how long it takes by now in a line
  // that complains or says that it waits; else 0: `finished 300s ago`, `still waiting for rank 3 (10 min)`.
  double SecondsOf(size_t number, bool complains);
  // False: there is no progress bar in it to which a message could be glued. Asked of a text with digits.
  bool MayHaveBar();
  // `step=41200` → step: the word in front of a number; empty without one. A view of this object.
  std::string_view NameOf(size_t number) const;
  // What it says of a counter, or null: `step 41200`, `max_steps 50000`.
  const WorkUnit* UnitOf(const Counter& counter) const { return WorkUnitNumbered(layout_->units[counter.number]); }
  const WorkUnit* TotalOf(const Counter& counter) const { return WorkUnitNumbered(layout_->totals[counter.number]); }

 private:
  static constexpr size_t kBlock = 64;
  static constexpr size_t kBlocks = kReach / kBlock;
  static constexpr size_t kMostNumbers = PulseLayout::kNumbers;
  using Bits = std::array<uint64_t, kBlocks>;  // one for each byte

  uint64_t CopyMasked(std::string_view text);
  // Fills the masks below, when somebody first needs them.
  void Classify();
  // Sets kind and places of numbers of own_.
  void FindWords();
  // What holds for all lines of the layout: complaint, counters, words beside numbers.
  void Study();
  // Whether at one of the words an entry of pulse_words.def begins for which `fits` says yes.
  template <typename Fits>
  bool AnyNoWork(const Fits& fits);
  size_t count() const { return layout_ == nullptr ? 0 : layout_->count; }
  template <typename OnNumber, typename OnWord>
  void ForEachWord(const OnNumber& on_number, const OnWord& on_word) const;
  // The next place from `i` on that has its bit, or the end.
  size_t Next(const Bits& bits, size_t i) const;
  // False behind the end.
  bool DigitAt(size_t i) const;
  // The end of `38`, `1.37`, `6.2E+00` or `0x7f` that begins at `i`.
  size_t BehindNumber(size_t i) const;
  // The end of a run of digits.
  size_t BehindDigits(size_t i) const;
  bool Lists() const;
  // No part of a clock, a date, an address or a version, and no name's.
  bool MayCount(size_t number) const;
  // What follows it in the text.
  std::string_view Behind(size_t number) const {
    return text().substr(std::min(BehindNumber(layout_->at[number]), size_));
  }
  // Seconds, or finer, since 1970: they grow in every log.
  bool IsTime(size_t number) const;
  // `38/40`: the number behind it is of how many.
  bool SaysOf(size_t number) const;
  std::string_view text() const { return {bytes_.data(), size_}; }

  // Of bytes_; what stands behind are zeros.
  size_t size_;
  std::array<char, kReach + 16> bytes_;  // with room to read behind them
  bool has_digits_ = false;
  bool classified_ = false;
  Bits begins_, ends_, digits_;    // of words, words, and digits; once it is classified
  uint32_t kind_ = 0;              // of a text without a digit
  PulseLayout* layout_ = nullptr;  // of one with digits
  PulseLayout own_;                // that nobody remembers
};

}  // namespace ncclwhy
