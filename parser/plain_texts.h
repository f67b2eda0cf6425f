// PlainTexts: lines without a header of which all that is asked about their words is known to be no. A program prints
// thousands of lines whose digits alone are others:
//   [2026-10-04 07:11:03] Epoch: [0]  [ 120/9157]  eta: 1:02:11  lr: 0.000120  time: 0.3911
// Such a text has no telling word, begins no record, is of no dialect, and no extractor takes it; nor does any other
// with the same letters, and digits in the same places, as what tells that asks for digits and not for a number. Where
// no more than a time stands in front of it, that is known of the whole line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/mask_digits.h"
#include "base/patience.h"
#include "base/text_memo.h"
#include "parser/line_shape.h"
#include "parser/outer_prefix.h"
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
    uint32_t kind = 0;  // ParsedLine::kind
  };
  using Entry = TextMemo<Plain>::Entry;

  // A whole line as it stands in the source.
  struct Line {
    bool plain = false;
    bool invalid = false;   // no UTF-8
    bool binary = false;    // LooksBinary
    StrippedLine stripped;  // its views are set anew for each line: they begin here
    uint32_t text_at = 0, text_size = 0, time_at = 0, time_size = 0;
    uint32_t kind = 0;  // of its text
  };
  using LineEntry = TextMemo<Line>::Entry;

  // What is known of a text like this, or is to be; null where it did not come before.
  Entry* Find(std::string_view text) {
    if (!patience_.Asks()) return nullptr;
    Entry* const entry = texts_.Find(0, MaskDigits(text, &masked_));
    patience_.Tell(entry != nullptr);
    return entry;
  }
  // The same of a line, as long as `stripper` learns nothing.
  LineEntry* FindLine(std::string_view line, const OuterPrefixStripper& stripper) {
    return line_patience_.Asks() ? FindAmongLines(line, stripper) : nullptr;
  }
  // What the stripper would say of `line`, whose entry is plain.
  static StrippedLine StrippedAs(const Line& known, std::string_view line);

  // Notes of a text what was found out: whether nothing took it now.
  void Learn(const ParsedLine& line, bool plain_now, Entry* entry) {
    entry->known = true;
    entry->value.plain = plain_now && StaysPlain(line.text, line.words);
    if (entry->value.plain) entry->value.kind = ++kinds_;
  }
  // Sets the shape of a line that is not known as a whole, where such come again: what other programs say when
  // something goes wrong comes in storms, too. It is borrowed from here, until the next call.
  //   recvValue failed on SocketImpl(fd=D, addr=[gpu017]:D, remote=[D.D.D.D]:D): Connection reset by peer
  void FindShape(ParsedLine* line);
  // Notes of a line what the stripper said of it; `text` is what is known of what it left, or null.
  static void LearnLine(std::string_view line, const StrippedLine& stripped, const Entry* text, LineEntry* entry);

 private:
  LineEntry* FindAmongLines(std::string_view line, const OuterPrefixStripper& stripper);
  // Whether other digits could not make a header or a record of a text that has neither.
  static bool StaysPlain(std::string_view text, TellingWords words);
  // Whether a line with other digits would be stripped in the same way.
  static bool StaysStripped(std::string_view line, std::string_view masked, const StrippedLine& stripped);

  TextMemo<Plain> texts_;
  TextMemo<Line> lines_;
  std::string masked_;
  TextMemo<bool> shapes_;  // those that came again
  LineShape shape_;
  Patience patience_, line_patience_, shape_patience_;
  size_t learned_ = 0;  // by the stripper, when the lines were noted
  uint32_t kinds_ = 0;
};

}  // namespace ncclwhy
