// What the numbers of a PulseLine are: which of them may count, of how many, and for how long somebody waits.
#include <algorithm>

#include "base/swar.h"
#include "base/text.h"
#include "parser/pulse_line.h"

namespace ncclwhy {

// Times since 1970 always grow.
bool PulseLine::IsTime(size_t number) const {
  bool whole = true;
  const double value = Value(number, &whole);
  return value >= 1e9 && (whole || value < 2.3e9);
}

// `38/40`, `38 of 40`, `38 / 40`
bool PulseLine::SaysOf(size_t number) const {
  size_t i = BehindNumber(layout_->at[number]);
  while (i < size_ && bytes_[i] == ' ') ++i;
  const size_t mark = bytes_[i] == '/' ? 1 : text().substr(std::min(i, size_)).starts_with("of ") ? 3 : 0;
  if (mark == 0) return false;
  for (i += mark; i < size_ && bytes_[i] == ' ';) ++i;
  return DigitAt(i);
}

size_t PulseLine::FindCounters(Counters* counters) {
  if (!has_digits_) return 0;
  Study();
  size_t found = 0;
  for (uint64_t rest = layout_->counters; rest != 0 && found < counters->size(); rest &= rest - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(rest));
    if ((layout_->long_ones >> i & 1) != 0 && IsTime(i)) continue;
    (*counters)[found++] = {static_cast<uint8_t>(i), (layout_->of >> i & 1) != 0};
  }
  return found;
}

// By hand: strtod asks for a locale and reads forms that are none here.
double PulseLine::Value(size_t number, bool* whole) const {
  *whole = true;
  if (number >= count()) return 0;  // zeros stand behind the text
  const char* p = bytes_.data() + layout_->at[number];
  const uint64_t word = swar::Load(p);
  // Digits become 0 to 9; another byte has its highest bit in one of the two.
  const uint64_t low = word ^ 0x3030303030303030ull;
  const uint64_t others = (low | (low + 0x7676767676767676ull)) & swar::kHighs;
  const size_t digits = others == 0 ? sizeof word : swar::Before(others);
  uint64_t value = swar::Decimal(word, digits);
  p += digits;
  for (size_t more = digits; more >= sizeof word && more < 18 && IsDigit(*p); ++more, ++p)
    value = value * 10 + static_cast<uint64_t>(*p - '0');
  if (*p != '.' && (*p | 0x20) != 'e') return static_cast<double>(value);
  *whole = !(*p == '.' && IsDigit(p[1]));
  double with_fraction = static_cast<double>(value);
  double place = 0.1;
  if (!*whole) {
    for (++p; IsDigit(*p); ++p, place /= 10) with_fraction += place * (*p - '0');
  }
  const bool exponent = (*p | 0x20) == 'e' && (p[1] == '+' || p[1] == '-') && IsDigit(p[2]);
  return exponent ? 0 : with_fraction;
}

double PulseLine::SecondsOf(size_t number, bool complains) {
  if (number >= count() || (layout_->times >> number & 1) == 0) return 0;
  Classify();
  return SecondsBehind(Behind(number), text(), complains);
}

}  // namespace ncclwhy
