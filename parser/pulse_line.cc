#include "parser/pulse_line.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"
#include "parser/scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ncclwhy {
namespace {

#define NO_WORK(text) text,
#define NAMES(word)
#define COUNTS(word, one, many, zh)
constexpr std::string_view kNoWork[] = {
#include "parser/pulse_words.def"
};
#undef NO_WORK
#undef NAMES
#define NO_WORK(text)
#define NAMES(word) word,
constexpr std::string_view kNames[] = {
#include "parser/pulse_words.def"
};
#undef NO_WORK
#undef NAMES
#undef COUNTS

// A bit that every letter has, and no byte that is zero.
constexpr uint32_t kLetterBits = 0x40404040;

// The first letters of a word, four at most, lower case, the first one lowest.
constexpr uint32_t KeyOf(std::string_view word) {
  uint32_t key = 0;
  for (size_t i = 0; i < 4 && i < word.size() && IsAlpha(word[i]); ++i)
    key |= static_cast<uint32_t>(static_cast<unsigned char>(word[i] | 0x20)) << (8 * i);
  return key;
}

// Which keys may be those of kNoWork: a bit for each of 8,192 hashes.
class NoWorkKeys {
 public:
  constexpr NoWorkKeys() {
    for (const std::string_view word : kNoWork)
      bits_[Place(KeyOf(word)) / 8] |= static_cast<uint8_t>(1u << Place(KeyOf(word)) % 8);
  }
  bool May(uint32_t key) const { return (bits_[Place(key) / 8] >> Place(key) % 8 & 1) != 0; }

 private:
  static constexpr uint32_t Place(uint32_t key) { return (key * 2654435761u) >> 19; }
  std::array<uint8_t, 1024> bits_{};
};
constexpr NoWorkKeys kNoWorkKeys;

bool BeginsLower(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return a == (IsUpper(b) ? static_cast<char>(b | 0x20) : b); };
  return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(), same);
}

// `12:00:03.123`, `2026-11-22`, `00:03<00:26`: the number is part of a clock or a date. Sizes and speeds have a point.
bool IsClockMark(char c) { return c == ':' || c == '-'; }

}  // namespace

PulseLine::PulseLine(std::string_view text) : size_(std::min(text.size(), kReach)) {
  std::memcpy(bytes_.data(), text.data(), size_);
  std::memset(bytes_.data() + size_, 0, 16);
  Classify();
  uint64_t hash = 0;
  const auto mix = [&hash](uint64_t word) { hash = (std::rotl(hash, 29) ^ word) * 0x9e3779b97f4a7c15ull; };
  size_t done = 0;
  for (size_t block = 0; block * kBlock < size_; ++block) {
    for (uint64_t begins = begins_[block]; begins != 0; begins &= begins - 1) {
      const auto in_block = static_cast<size_t>(std::countr_zero(begins));
      size_t i = block * kBlock + in_block;
      if (i < done) continue;  // a digit of a number
      uint64_t word = swar::Load(bytes_.data() + i);
      if (IsDigit(static_cast<char>(word & 0xFF))) {
        mix('0');
        if (numbers_found_ < kMostNumbers) numbers_[numbers_found_++] = static_cast<uint16_t>(i);
        done = BehindNumber(i);
        continue;
      }
      const uint64_t ends = ends_[block] >> in_block >> 1;
      done = ends != 0 ? i + 1 + static_cast<size_t>(std::countr_zero(ends)) : Next(ends_, (block + 1) * kBlock);
      const uint64_t key = done - i >= 4 ? word : word & ~(~uint64_t{0} << (8 * (done - i)));
      if (kNoWorkKeys.May(static_cast<uint32_t>(key | (key & kLetterBits) >> 1)) && complaints_ < kMostComplaints) {
        complaint_[complaints_++] = static_cast<uint16_t>(i);
      }
      for (; done - i > sizeof word; i += sizeof word, word = swar::Load(bytes_.data() + i)) mix(word);
      mix(word & ~uint64_t{0} >> (8 * (sizeof word - (done - i))));
    }
  }
  kind_ = static_cast<uint32_t>(Mix64(hash));
}

void PulseLine::Classify() {
  uint64_t letter_before = 0, small_before = 0;
  for (size_t block = 0; block * kBlock < size_; ++block) {
    uint64_t letters = 0, capitals = 0, digits = 0;
    const char* const p = bytes_.data() + block * kBlock;
    const size_t rest = size_ - block * kBlock;
#if defined(__SSE2__)
    const auto mask = [](__m128i bytes) { return uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(bytes))}; };
    // Moved up so that `last` is the largest of all bytes with a sign.
    const auto in = [&](__m128i bytes, char first, char last) {
      const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(127 - last)));
      return mask(_mm_cmpgt_epi8(moved, _mm_set1_epi8(static_cast<char>(126 - (last - first)))));
    };
    for (size_t at = 0; at < kBlock && at < rest; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
      letters |= in(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z') << at;
      capitals |= mask(_mm_slli_epi16(bytes, 2)) << at;  // the bit that small letters have
      digits |= in(bytes, '0', '9') << at;
    }
    capitals = letters & ~capitals;
#else
    for (size_t at = 0; at < kBlock && at < rest; ++at) {
      letters |= uint64_t{IsAlpha(p[at])} << at;
      capitals |= uint64_t{IsUpper(p[at])} << at;
      digits |= uint64_t{IsDigit(p[at])} << at;
    }
#endif
    // `ReadTimeout`: a capital behind a small letter begins a word.
    const uint64_t small = letters & ~capitals;
    const uint64_t words = (letters & ~(letters << 1 | letter_before)) | (capitals & (small << 1 | small_before));
    letter_before = letters >> 63;
    small_before = small >> 63;
    begins_[block] = words | digits;
    ends_[block] = ~letters | words;
    digits_[block] = digits;
  }
}

// The next byte from `i` on that has its bit, or the end of the text.
size_t PulseLine::Next(const Bits& bits, size_t i) const {
  for (; i < size_; i = (i / kBlock + 1) * kBlock) {
    const uint64_t rest = bits[i / kBlock] >> (i % kBlock);
    if (rest != 0) return std::min(i + static_cast<size_t>(std::countr_zero(rest)), size_);
  }
  return size_;
}

bool PulseLine::DigitAt(size_t i) const { return i < size_ && IsDigit(bytes_[i]); }

// `38`, `1.37`, `6.2E+00`; `0x00007fa620ffd640` is one name, whatever digits it has.
size_t PulseLine::BehindNumber(size_t i) const {
  if (bytes_[i] == '0' && bytes_[i + 1] == 'x' && IsHexDigit(bytes_[i + 2])) {
    for (i += 2; i < size_ && IsHexDigit(bytes_[i]);) ++i;
    return i;
  }
  i = BehindDigits(i);
  if (bytes_[i] == '.' && DigitAt(i + 1)) i = BehindDigits(i + 1);
  if ((bytes_[i] | 0x20) == 'e' && (bytes_[i + 1] == '+' || bytes_[i + 1] == '-') && DigitAt(i + 2)) {
    i = BehindDigits(i + 2);
  }
  return i;
}

size_t PulseLine::BehindDigits(size_t i) const {
  // Zeros stand behind the bits of a block, so that a run that reaches its end is looked at again.
  for (; i < size_;) {
    const auto run = static_cast<size_t>(std::countr_one(digits_[i / kBlock] >> (i % kBlock)));
    i += run;
    if (i % kBlock != 0 || run == 0) break;
  }
  return std::min(i, size_);
}

bool PulseLine::Complains() const {
  static constexpr auto kKeys = [] {
    std::array<uint32_t, std::size(kNoWork)> keys{};
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = KeyOf(kNoWork[i]);
    return keys;
  }();
  return std::any_of(complaint_.begin(), complaint_.begin() + complaints_, [&](uint16_t at) {
    const std::string_view from_word = text().substr(at);
    const uint32_t key = KeyOf(from_word);
    for (size_t entry = 0; entry < kKeys.size(); ++entry) {
      if (kKeys[entry] == key && BeginsLower(from_word, kNoWork[entry])) return true;
    }
    return false;
  });
}

std::string_view PulseLine::NameOf(size_t number) const {
  if (number >= numbers_found_) return {};
  const auto is_between = [](char c) { return std::string_view(" =:[\"(#_").find(c) != std::string_view::npos; };
  size_t end = numbers_[number];
  while (end > 0 && is_between(bytes_[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && (IsAlpha(bytes_[begin - 1]) || bytes_[begin - 1] == '_')) --begin;
  return end - begin >= 2 && end - begin <= 32 ? text().substr(begin, end - begin) : std::string_view();
}

bool PulseLine::IsCounter(size_t number) const {
  const size_t begin = numbers_[number];
  const size_t end = BehindNumber(begin);
  if (bytes_[begin + 1] == 'x' && end > begin + 2) return false;
  const bool behind = begin > 1 && IsClockMark(bytes_[begin - 1]) && IsDigit(bytes_[begin - 2]);
  const bool before = IsClockMark(bytes_[end]) && DigitAt(end + 1);
  // The fraction of a clock: `11:10:18,688`.
  const bool fraction = begin > 3 && bytes_[begin - 1] == ',' && IsDigit(bytes_[begin - 2]) && number > 0 &&
                        numbers_[number - 1] > 1 && IsClockMark(bytes_[numbers_[number - 1] - size_t{1}]) &&
                        IsDigit(bytes_[numbers_[number - 1] - size_t{2}]);
  if (behind || before || fraction) return false;
  // Times since 1970 always grow.
  bool whole = true;
  const double value = Value(number, &whole);
  if (value >= 1e9 && (whole || value < 2.3e9)) return false;
  const std::string_view name = NameOf(number);
  return std::none_of(std::begin(kNames), std::end(kNames),
                      [&](std::string_view known) { return name.size() == known.size() && BeginsLower(name, known); });
}

// `38/40`, `38 of 40`, `38 / 40`
bool PulseLine::SaysOf(size_t number) const {
  size_t i = BehindNumber(numbers_[number]);
  while (i < size_ && bytes_[i] == ' ') ++i;
  const size_t mark = bytes_[i] == '/' ? 1 : text().substr(std::min(i, size_)).starts_with("of ") ? 3 : 0;
  if (mark == 0) return false;
  for (i += mark; i < size_ && bytes_[i] == ' ';) ++i;
  return DigitAt(i);
}

size_t PulseLine::FindCounters(Counters* counters) const {
  size_t found = 0;
  for (size_t i = 0; i < numbers_found_ && found < counters->size(); ++i) {
    if (IsCounter(i)) (*counters)[found++] = {static_cast<uint8_t>(i), SaysOf(i)};
  }
  return found;
}

double PulseLine::Value(size_t number, bool* whole) const {
  if (number >= numbers_found_) return 0;
  size_t i = numbers_[number];
  uint64_t value = 0;
  for (size_t digits = 0; DigitAt(i) && digits < 18; ++i, ++digits)
    value = value * 10 + static_cast<uint64_t>(bytes_[i] - '0');
  *whole = !(bytes_[i] == '.' && DigitAt(i + 1));
  double with_fraction = static_cast<double>(value);
  double place = 0.1;
  if (!*whole) {
    for (++i; DigitAt(i); ++i, place /= 10) with_fraction += place * (bytes_[i] - '0');
  }
  const bool exponent = (bytes_[i] | 0x20) == 'e' && (bytes_[i + 1] == '+' || bytes_[i + 1] == '-') && DigitAt(i + 2);
  return exponent ? 0 : with_fraction;
}

}  // namespace ncclwhy
