#include "parser/timestamp.h"

#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::IsDigit;

// Matches `text` against a picture: 9 = digit, A = upper case letter, a = lower case letter, _ = blank or digit,
// anything else stands for itself.
bool Picture(std::string_view text, std::string_view picture) {
  if (text.size() < picture.size()) return false;
  for (size_t i = 0; i < picture.size(); ++i) {
    const char c = text[i];
    bool ok = false;
    switch (picture[i]) {
      case '9':
        ok = IsDigit(c);
        break;
      case 'A':
        ok = scan::IsUpper(c);
        break;
      case 'a':
        ok = scan::IsLower(c);
        break;
      case '_':
        ok = IsDigit(c) || c == ' ';
        break;
      default:
        ok = c == picture[i];
    }
    if (!ok) return false;
  }
  return true;
}

// Whether eight bytes are digits and other bytes as in `picture`, which has nothing but 9, ? (any byte) and such.
[[gnu::always_inline]] inline bool EightLike(std::string_view text, const char (&picture)[9]) {
  uint64_t digits = 0;
  uint64_t others = 0;
  uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) {
    const auto byte = static_cast<uint64_t>(static_cast<unsigned char>(picture[i])) << (8 * i);
    const bool digit = picture[i] == '9';
    const bool any = picture[i] == '?';
    digits |= digit ? uint64_t{0x80} << (8 * i) : 0;
    others |= digit || any ? 0 : uint64_t{0xFF} << (8 * i);
    bytes |= digit || any ? 0 : byte;
  }
  const uint64_t word = swar::Load(text.data());
  return (swar::Outside(word, '0', '9') & digits) == 0 && (word & others) == bytes;
}

// Where the clock behind a date begins that has its year last, or two digits of it: 03/01/2025, 01.03.2025, 25/03/01.
// 0: there is none.
size_t TurnedDate(std::string_view text) {
  if (text[2] != '/' && text[2] != '.') return 0;
  for (const std::string_view date : {"99/99/9999 ", "99.99.9999 ", "99/99/99 "}) {
    if (Picture(text, date) && Picture(text.substr(date.size()), "99:99:99")) return date.size();
  }
  return 0;
}

// .123 or ,123 at `at`
// A comma is what Python's logging prints in front of the milliseconds.
size_t Fraction(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != '.' && text[at] != ',')) return 0;
  const size_t digits = scan::DigitsAt(text, at + 1);
  return digits == 0 ? 0 : digits + 1;
}

// Z, +00:00, -0700
size_t Zone(std::string_view text, size_t at) {
  if (at >= text.size()) return 0;
  if (text[at] == 'Z') return 1;
  if (text[at] != '+' && text[at] != '-') return 0;
  // `-07:00`, and `-0700` of date.
  if (Picture(text.substr(at + 1), "99:99")) return 6;
  return Picture(text.substr(at + 1), "9999") ? 5 : 0;
}

}  // namespace

// Pictures are tried by the first byte: digits, then the capital of a month or day.
size_t TimestampLength(std::string_view text, TimeForm* form) {
  TimeForm ignored;
  if (form == nullptr) form = &ignored;
  *form = TimeForm::kNone;
  if (text.size() < 8) return 0;
  size_t n = 0;
  if (IsDigit(text[0])) {
    if ((EightLike(text, "9999-99-") || EightLike(text, "9999/99/")) && text.size() >= 16 &&
        EightLike(text.substr(8), "99?99:99") &&
        // The _ is that of names of files, `2025-03-01_12:00:00`.
        (text[10] == ' ' || text[10] == 'T' || text[10] == '_')) {
      n = 16;
      // `ts` may print hours and minutes only: the seconds are optional.
      if (Picture(text.substr(n), ":99")) n += 3;
      n += Fraction(text, n);
      n += Zone(text, n);
      *form = TimeForm::kDate;
    } else if (EightLike(text, "9999-99-") && text.size() >= 20 && EightLike(text.substr(12), "99:99:99") &&
               Picture(text.substr(8), "99, ")) {
      // Airflow's: 2025-04-11, 02:10:33 UTC
      n = 20;
      n += Fraction(text, n);
      n += Zone(text, n);
      *form = TimeForm::kDate;
    } else if (const size_t clock = TurnedDate(text); clock > 0) {
      n = clock + 8;
      n += Fraction(text, n);
      *form = TimeForm::kTurnedDate;
    } else if (EightLike(text, "99:99:99")) {
      n = 8 + Fraction(text, 8);
      *form = TimeForm::kClock;
    } else if (EightLike(text, "99999999") && Picture(text.substr(8), "99999") &&
               // Thirteen digits are milliseconds since 1970. Fourteen are something else, an address or a hash.
               (text.size() == 13 || !IsDigit(text[13]))) {
      n = 13;
      *form = TimeForm::kEpoch;
    } else if (text[0] == '1' && EightLike(text, "99999999") && Picture(text.substr(8), "99.999")) {
      // Seconds since 1970, as UCX and strace -ttt print them: 1764579611.198400
      n = 10 + Fraction(text, 10);
      *form = TimeForm::kEpoch;
    }
  } else if (scan::IsUpper(text[0])) {
    // `Mar`, `Sat`: three letters and a blank, or it is any word with a capital.
    if (text[3] != ' ') return 0;
    if (Picture(text, "Aaa _9 99:99:99")) {
      n = 15;
      *form = TimeForm::kSyslog;
    } else if (Picture(text, "Aaa Aaa _9 99:99:99 9999")) {
      n = 24;
      *form = TimeForm::kLong;
    }
  }
  // `12:00:00abc` is a name.
  if (n < text.size() && n > 0 && scan::IsAlnum(text[n])) n = 0;
  if (n == 0) *form = TimeForm::kNone;
  return n;
}

}  // namespace ncclwhy
