// PlainTexts: lines without a header of which all that is asked about their words is known to be no. A program prints
// thousands of lines whose digits alone are others:
//   Epoch: [0]  [ 120/9157]  eta: 1:02:11  lr: 0.000120  time: 0.3911
// Such a text has no telling word, begins no record, is of no dialect, and no extractor takes it; nor does any other
// with the same letters, and digits in the same places, as what tells that asks for digits and not for a number.
#pragma once

#include <string>
#include <string_view>

#include "base/mask_digits.h"
#include "base/patience.h"
#include "base/text_memo.h"
#include "parser/telling_words.h"

namespace ncclwhy {

class PlainTexts {
 public:
  struct Plain {
    bool plain = false;
  };
  using Entry = TextMemo<Plain>::Entry;

  // What is known of a text like this, or is to be; null where it did not come before.
  Entry* Find(std::string_view text) {
    if (!patience_.Asks()) return nullptr;
    Entry* const entry = memo_.Find(0, MaskDigits(text, &masked_));
    patience_.Tell(entry != nullptr);
    return entry;
  }

  // Whether other digits could not make a header or a record of a text that has neither.
  static bool StaysPlain(std::string_view text, TellingWords words);

 private:
  TextMemo<Plain> memo_;
  std::string masked_;
  Patience patience_;
};

}  // namespace ncclwhy
