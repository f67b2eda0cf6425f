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
#include "parser/parsed_line.h"
#include "parser/telling_words.h"

namespace ncclwhy {

// One for each LineParser; which texts it remembers changes the speed and no answer.
class PlainTexts {
 public:
  // True: all that is asked about the words of such a text is known to be no. False: it was asked, and something took
  // it; the next one like it is asked everything again.
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

  // Notes of a line what was found out: whether nothing took it now.
  static void Learn(const ParsedLine& line, bool plain_now, Entry* entry) {
    entry->known = true;
    entry->value.plain = plain_now && StaysPlain(line.text, line.words);
  }

 private:
  // Whether other digits could not make a header or a record of a text that has neither.
  static bool StaysPlain(std::string_view text, TellingWords words);

  TextMemo<Plain> memo_;
  std::string masked_;
  Patience patience_;
};

}  // namespace ncclwhy
