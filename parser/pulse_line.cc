#include "parser/pulse_line.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"
#include "base/logger_prefix.h"
#include "base/mask_digits.h"
#include "parser/scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ncclwhy {
namespace {

#define NO_WORK(text) text,
#define PREPARES(text)
#define WAITS(text)
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
#undef PREPARES
#undef WAITS
#undef NAMES
#undef COUNTS

// The first three bytes of a word, in lower case.
constexpr uint32_t KeyOf(std::string_view word) {
  uint32_t key = 0;
  for (size_t i = 0; i < 3; ++i) key |= static_cast<uint32_t>(static_cast<unsigned char>(word[i] | 0x20)) << (8 * i);
  return key;
}

// kNoWork by the hash of a key: nearly every word asks for one byte and is done.
class NoWorkKeys {
 public:
  constexpr NoWorkKeys() {
    for (size_t i = 0; i < std::size(kNoWork); ++i) {
      uint8_t& first = first_[Place(KeyOf(kNoWork[i]))];
      next_[i] = first;
      first = static_cast<uint8_t>(i + 1);
    }
  }
  // Whether one of those with this key fits.
  template <typename Fits>
  bool Any(uint32_t key, const Fits& fits) const {
    for (size_t i = first_[Place(key)]; i != 0; i = next_[i - 1]) {
      if (fits(kNoWork[i - 1])) return true;
    }
    return false;
  }

 private:
  static_assert(std::size(kNoWork) < UINT8_MAX);
  // The upper 13 bits of a product with the golden ratio: three bytes spread over 8,192 places.
  static constexpr uint32_t Place(uint32_t key) { return (key * 2654435761u) >> 19; }
  std::array<uint8_t, 8192> first_{};               // and one more; 0: none
  std::array<uint8_t, std::size(kNoWork)> next_{};  // likewise
};
constexpr NoWorkKeys kNoWorkKeys;

// Whether it would begin so if its digits were others: an entry that has some, `via P2P`.
bool BeginsLowerMasked(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) {
    return a == (IsUpper(b) ? static_cast<char>(b | 0x20) : b) || (IsDigit(a) && IsDigit(b));
  };
  return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(), same);
}

bool BeginsLower(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return a == (IsUpper(b) ? static_cast<char>(b | 0x20) : b); };
  return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(), same);
}

// `12:00:03.123`, `2026-11-22`, `00:03<00:26`: the number is part of a clock or a date. Sizes and speeds have a point.
bool IsClockMark(char c) { return c == ':' || c == '-'; }

}  // namespace

PulseLine::PulseLine(std::string_view text, PulseLayouts* layouts) : size_(std::min(text.size(), kReach)) {
  const uint64_t key = CopyMasked(text);
  if (!has_digits_) {
    kind_ = static_cast<uint32_t>(key);
    return;
  }
  layout_ = layouts->Find(key);
  if (layout_ != nullptr) return;
  own_.key = key;
  layout_ = &own_;
  FindWords();
  // `0x7f` is one number, `1x7f` is two: there the digits tell.
  const auto may_be_hex = [&](uint16_t at) { return bytes_[at + size_t{1}] == 'x'; };
  if (std::none_of(own_.at.begin(), own_.at.begin() + own_.count, may_be_hex)) layout_ = layouts->Add(own_);
}

// Copies what is looked at, and returns a hash of it in which all digits are one, and all bytes that are not ASCII.
uint64_t PulseLine::CopyMasked(std::string_view text) {
  std::memcpy(bytes_.data(), text.data(), size_);
  // Sixteen zeros: whole vectors are read behind the end, and comparisons there find nothing.
  std::memset(bytes_.data() + size_, 0, 16);
  uint64_t hash = size_;
  const auto mix = [&hash](uint64_t word) { hash = (std::rotl(hash, 29) ^ word) * 0x9e3779b97f4a7c15ull; };
#if defined(__SSE2__)
  const __m128i up = _mm_set1_epi8(127 - '9');  // moves digits to the largest of all bytes with a sign
  const __m128i below = _mm_set1_epi8(127 - 10);
  __m128i any = _mm_setzero_si128();
  for (size_t at = 0; at < size_; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes_.data() + at));
    const __m128i digits = _mm_cmpgt_epi8(_mm_add_epi8(bytes, up), below);
    const __m128i foreign = _mm_cmplt_epi8(bytes, _mm_setzero_si128());
    any = _mm_or_si128(any, digits);
    // Both are no bytes of ASCII, and of the others only 0xff is left.
    const __m128i masked = _mm_or_si128(_mm_or_si128(_mm_andnot_si128(digits, bytes), foreign),
                                        _mm_and_si128(digits, _mm_set1_epi8(-128)));
    mix(static_cast<uint64_t>(_mm_cvtsi128_si64(masked)));
    mix(static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(masked, masked))));
  }
  has_digits_ = _mm_movemask_epi8(any) != 0;
#else
  for (size_t at = 0; at < size_; at += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i) {
      const char c = bytes_[at + i];
      has_digits_ = has_digits_ || IsDigit(c);
      const uint64_t masked = IsDigit(c) ? 0x80
                              // As the vectors make it: 0x80 for a digit, 0xff for what is not ASCII.
                              : static_cast<signed char>(c) < 0 ? 0xff
                                                                : static_cast<unsigned char>(c);
      word |= masked << (8 * i);
    }
    mix(word);
  }
#endif
  return Mix64(hash);
}

// Calls `on_number(begin)` and `on_word(begin, end)` in their order.
template <typename OnNumber, typename OnWord>
void PulseLine::ForEachWord(const OnNumber& on_number, const OnWord& on_word) const {
  size_t done = 0;
  for (size_t block = 0; block * kBlock < size_; ++block) {
    for (uint64_t begins = begins_[block]; begins != 0; begins &= begins - 1) {
      const auto in_block = static_cast<size_t>(std::countr_zero(begins));
      const size_t i = block * kBlock + in_block;
      if (i < done) continue;  // a digit of a number
      if (IsDigit(bytes_[i])) {
        on_number(i);
        done = BehindNumber(i);
        continue;
      }
      const uint64_t ends = ends_[block] >> in_block >> 1;
      done = ends != 0 ? i + 1 + static_cast<size_t>(std::countr_zero(ends)) : Next(ends_, (block + 1) * kBlock);
      on_word(i, done);
    }
  }
}

// Words and numbers in their order make the kind; what stands between them (bars, blanks) does not.
void PulseLine::FindWords() {
  Classify();
  uint64_t hash = 0;
  // How much of a longer line is looked at depends on the width of its numbers: its first words tell the kind.
  //   step:0 - critic/kl:0.000 - critic/kl_coeff:0.001 - critic/vf_loss:10.488 - …      of 1,200 bytes
  constexpr size_t kTelling = 24;
  size_t words = 0;
  const auto mix = [&](uint64_t word) {
    if (size_ < kReach || words < kTelling) hash = (std::rotl(hash, 29) ^ word) * 0x9e3779b97f4a7c15ull;
  };
  const auto on_number = [&](size_t i) {
    mix('0');
    ++words;
    if (own_.count < kMostNumbers) own_.at[own_.count++] = static_cast<uint16_t>(i);
  };
  ForEachWord(on_number, [&](size_t i, size_t end) {
    uint64_t word = swar::Load(bytes_.data() + i);
    for (; end - i > sizeof word; i += sizeof word, word = swar::Load(bytes_.data() + i)) mix(word);
    mix(word & ~uint64_t{0} >> (8 * (sizeof word - (end - i))));
    ++words;
  });
  own_.kind = static_cast<uint32_t>(Mix64(hash));
}

// Four masks, as in line_shape.cc: letters, where words begin and end, digits.
void PulseLine::Classify() {
  if (classified_) return;
  classified_ = true;
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

template <typename Fits>
bool PulseLine::AnyNoWork(const Fits& fits) {
  Classify();
  for (size_t block = 0; block * kBlock < size_; ++block) {
    for (uint64_t begins = begins_[block] & ~digits_[block]; begins != 0; begins &= begins - 1) {
      const size_t at = block * kBlock + static_cast<size_t>(std::countr_zero(begins));
      const uint32_t key = (static_cast<uint32_t>(swar::Load(bytes_.data() + at)) | 0x202020) & 0xffffff;
      if (kNoWorkKeys.Any(key, [&](std::string_view entry) { return fits(text().substr(at), entry); })) return true;
    }
  }
  return false;
}

bool PulseLine::Complains() {
  if (has_digits_) {
    Study();
    if (layout_->complaint != PulseLayout::Complaint::kDigitsDecide)
      return layout_->complaint == PulseLayout::Complaint::kYes;
  }
  return AnyNoWork(BeginsLower);
}

bool PulseLine::MayHaveBar() {
  Study();
  return layout_->may_have_bar;
}

// What all lines of the layout have in common.
void PulseLine::Study() {
  PulseLayout& layout = *layout_;
  if (layout.studied) return;
  layout.studied = true;
  // What is not looked at may have one.
  layout.may_have_bar = size_ == kReach || HasProgressBar(text());
  using Complaint = PulseLayout::Complaint;
  const auto whatever_digits = [](std::string_view word, std::string_view entry) {
    return !HasDigit(entry) && BeginsLower(word, entry);
  };
  layout.complaint = !AnyNoWork(BeginsLowerMasked) ? Complaint::kNo
                     : AnyNoWork(whatever_digits)  ? Complaint::kYes
                                                   : Complaint::kDigitsDecide;
  // A number and nothing else numbers what follows, `[3]:` or `4.`; but `40%`, and rows of several.
  const auto says = [](char c) { return IsAlpha(c) || c == '%' || static_cast<unsigned char>(c) >= 0x80; };
  if (layout.count == 1 && std::none_of(text().begin(), text().end(), says)) return;
  for (size_t i = 0; i < layout.count; ++i) {
    if (!MayCount(i)) continue;
    const std::string_view name = NameOf(i);
    layout.counters |= uint64_t{1} << i;
    layout.of |= uint64_t{SaysOf(i)} << i;
    layout.long_ones |= uint64_t{BehindDigits(layout.at[i]) - layout.at[i] > 9} << i;
    layout.times |= uint64_t{MayBeTime(Behind(i))} << i;
    layout.units[i] = NumberOf(WorkUnitOf(name));
    layout.totals[i] = layout.units[i] == 0 ? NumberOf(WorkUnitOfTotal(name)) : uint8_t{0};
  }
}

// `loss: 2.13` → loss, `"step": 20` → step, `(epoch 3)` → epoch. A word of one letter names nothing.
std::string_view PulseLine::NameOf(size_t number) const {
  if (number >= count()) return {};
  const auto is_between = [](char c) { return std::string_view(" =:[\"(#_").find(c) != std::string_view::npos; };
  size_t end = layout_->at[number];
  while (end > 0 && is_between(bytes_[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && (IsAlpha(bytes_[begin - 1]) || bytes_[begin - 1] == '_')) --begin;
  return end - begin >= 2 && end - begin <= 32 ? text().substr(begin, end - begin) : std::string_view();
}

// A row of a listing, or a member of a document that has one a line: numbers of things, not of steps.
//   -rw-r--r-- 1 train train 11167221353 Sep 21 …          "NetworkCardIndex": 3,
bool PulseLine::Lists() const {
  std::string_view rest = text();
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  constexpr size_t kMode = 10;
  if (rest.size() > kMode && std::string_view("-dlbcps").find(rest[0]) != std::string_view::npos &&
      rest[kMode] <= ' ') {
    return rest.substr(1, kMode - 1).find_first_not_of("rwxsStT-") == std::string_view::npos;
  }
  if (rest.empty() || rest[0] != '"') return false;
  const size_t name = rest.find("\": ", 1);
  return name != std::string_view::npos &&
         rest.find_first_not_of("0123456789.,+-eE", name + 3) == std::string_view::npos;
}

// What grows in every log and is no work: clocks, dates, addresses, versions, names with a number.
bool PulseLine::MayCount(size_t number) const {
  if (Lists()) return false;
  const auto& at = layout_->at;
  const size_t begin = at[number];
  const size_t end = BehindNumber(begin);
  if (bytes_[begin + 1] == 'x' && end > begin + 2) return false;
  const bool behind = begin > 1 && IsClockMark(bytes_[begin - 1]) && IsDigit(bytes_[begin - 2]);
  const bool before = IsClockMark(bytes_[end]) && DigitAt(end + 1);
  const bool fraction = begin > 3 && bytes_[begin - 1] == ',' && IsDigit(bytes_[begin - 2]) && number > 0 &&
                        at[number - 1] > 1 && IsClockMark(bytes_[at[number - 1] - size_t{1}]) &&
                        IsDigit(bytes_[at[number - 1] - size_t{2}]);  // 11:10:18,688
  // Of an address or a version: 192.168.40.22
  const bool dotted =
      (begin > 1 && bytes_[begin - 1] == '.' && IsDigit(bytes_[begin - 2])) || (bytes_[end] == '.' && DigitAt(end + 1));
  if (behind || before || fraction || dotted) return false;
  // An item of a list, as of what takes memory: `  5. Size: 126.00M`
  const bool item = number == 0 && (bytes_[end] == '.' || bytes_[end] == ')') && bytes_[end + 1] == ' ';
  if (item && text().find_first_not_of(' ') == begin) return false;
  // The end of a host's name: ===== gpu-b13 =====
  size_t letters = begin;
  while (letters > 0 && IsAlpha(bytes_[letters - 1])) --letters;
  const bool named = letters < begin && letters > 1 && bytes_[letters - 1] == '-';
  if (named && (IsAlpha(bytes_[letters - 2]) || IsDigit(bytes_[letters - 2]))) return false;
  const std::string_view name = NameOf(number);
  // The host of a row: `dl28 580.82.07 NVRM …`, `== n0422`. Of work, `step12: loss 0.3`.
  const bool first_word = letters < begin && (letters == 0 || text().substr(0, letters).find_first_not_of("=# -[") ==
                                                                  std::string_view::npos);
  if (first_word && WorkUnitOf(name) == nullptr && WorkUnitOf(text().substr(letters, begin - letters)) == nullptr) {
    return false;
  }
  // A frame of a stack: `#7  0x7fffe5ae8416 in ???`, `#1 main () at solver.f90:12`; but `batch #7`
  if (begin > 0 && bytes_[begin - 1] == '#' && name.empty()) return false;
  // `   12 0x562fee195975 No dladdr: …`, `[n07:4711] [ 6] /lib/x86_64-linux-gnu/libstdc++.so.6(+0xae277)[0x1478…]`
  const bool bracket = bytes_[end] == ']';
  std::string_view rest = text().substr(std::min(end + (bracket ? 1 : 0), text().size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.starts_with("0x") || (bracket && rest.size() > 1 && rest[0] == '/' && IsAlpha(rest[1]))) return false;
  return std::none_of(std::begin(kNames), std::end(kNames),
                      [&](std::string_view known) { return name.size() == known.size() && BeginsLower(name, known); });
}

}  // namespace ncclwhy
