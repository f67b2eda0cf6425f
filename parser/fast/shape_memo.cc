#include "parser/fast/shape_memo.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace ncclwhy {

void ShapeMemo::Keep(LogLevel level, std::string_view head, std::string_view body, std::string_view shape,
                     std::span<const NumberPlace> numbers, const LineMeaning& meaning,
                     const std::vector<std::string>& words) {
  const size_t size = head.size() + body.size();
  if (full() || size < kMostRead || size + 3 * kMostRead > kReach || !AddWords(words)) return;
  if (entries_.empty()) first_.fill(kNone);
  Entry& e = entries_.emplace_back();
  e.level = level;
  e.words = !words.empty();
  e.head = static_cast<uint32_t>(head.size());
  e.size = static_cast<uint32_t>(size + 1);
  std::string text(head);
  (text += body) += '\n';
  std::copy(text.begin(), text.end(), e.text.begin());
  e.meaning = meaning;
  for (const char c : shape) {
    if (!skeleton::IsNumber(c)) continue;
    const NumberPlace& place = numbers[e.meaning.count];
    e.meaning.places[e.meaning.count] = {static_cast<uint16_t>(place.begin + head.size()),
                                         static_cast<uint16_t>(place.end + head.size())};
    const uint32_t bit = uint32_t{1} << e.meaning.count++;
    if (c == skeleton::kHex) e.hex |= bit;
    // Behind 0x any digits are a number; without it letters alone are a word (`ab`), and digits alone a decimal one.
    const bool prefixed = place.begin > 0 && body[place.begin - 1u] == 'x';
    if (c == skeleton::kHex && !prefixed && meaning.kind == LineMeaning::Kind::kShown) e.bare |= bit;
  }
  e.places = e.meaning.places;
  e.line_size = e.size;
  MarkNumbers(&e);
  uint32_t& slot = first_[SlotOf(level, e.text.data())];
  e.next = slot;
  slot = static_cast<uint32_t>(entries_.size() - 1);
}

// Masks for the comparison of whole lines, sixteen bytes at a time.
void ShapeMemo::MarkNumbers(Entry* e) {
  e->numbers = e->hexes = {};
  for (size_t n = 0; n < e->meaning.count; ++n) {
    const NumberPlace& place = e->places[n];
    std::fill(e->numbers.begin() + place.begin, e->numbers.begin() + place.end, '\xff');
    if ((e->hex >> n & 1) != 0) std::fill(e->hexes.begin() + place.begin, e->hexes.begin() + place.end, '\xff');
  }
}

#ifdef NCCLWHY_AVX2
[[gnu::target("avx2")]] bool ShapeMemo::HasWidthsWide(const Entry& e, const char* text) {
  constexpr size_t kStep = sizeof(__m256i);
  // Above what is allowed is nothing: max(x, last) is last.
  const __m256i zero = _mm256_set1_epi8('0');
  const __m256i nine = _mm256_set1_epi8(9);
  const __m256i small = _mm256_set1_epi8(0x20);
  const __m256i a = _mm256_set1_epi8('a');
  const __m256i five = _mm256_set1_epi8('f' - 'a');
  __m256i all = _mm256_set1_epi8(-1);
  for (size_t at = 0;; at += kStep) {
    if (at + kStep > e.size) at = e.size - kStep;
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at));
    const __m256i digit = _mm256_sub_epi8(bytes, zero);
    const __m256i letter = _mm256_sub_epi8(_mm256_or_si256(bytes, small), a);
    const __m256i decimal =
        _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(digit, nine), nine),
                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(e.numbers.data() + at)));
    const __m256i hex = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(letter, five), five),
                                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(e.hexes.data() + at)));
    const __m256i same =
        _mm256_cmpeq_epi8(bytes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(e.text.data() + at)));
    all = _mm256_and_si256(all, _mm256_or_si256(_mm256_or_si256(decimal, hex), same));
    if (at + kStep == e.size) break;
  }
  return _mm256_movemask_epi8(all) == -1;
}
#else
bool ShapeMemo::HasWidthsWide(const Entry&, const char*) { return false; }
#endif

bool ShapeMemo::TakeOther(Entry& e, const char* text, const char* limit) const {
  const char* p = text;
  const char* q = e.text.data();
  const char* const end = q + e.size;
  // Of what can be read: with numbers as long as those of the latest line it ends in front of the limit.
  const auto same = [&](ptrdiff_t size) {
    return limit - p >= end - q + static_cast<ptrdiff_t>(2 * kMostRead) &&
           std::memcmp(p, q, static_cast<size_t>(size)) == 0;
  };
  uint32_t words = e.meaning.words;
  std::array<NumberPlace, skeleton::kMostNumbers> now;
  for (size_t n = 0; n < e.meaning.count; ++n) {
    const NumberPlace& place = e.places[n];
    const ptrdiff_t letters = e.text.data() + place.begin - q;
    if (!same(letters)) return false;
    p += letters;
    const bool hex = (e.hex >> n & 1) != 0;
    const size_t digits = hex ? swar::HexDigits(p) : swar::DecimalDigits(p);
    if (digits == 0 || digits > (hex ? skeleton::kMostHexDigits : e.meaning.most_digits)) return false;
    if (!MayBe(e, n, p, digits, &words)) return false;
    now[n].begin = static_cast<uint16_t>(p - text);
    p += digits;
    now[n].end = static_cast<uint16_t>(p - text);
    q = e.text.data() + place.end;
  }
  if (!same(end - q)) return false;
  const auto size = static_cast<size_t>(p + (end - q) - text);
  if (size < kMostRead) return false;
  e.meaning.places = now;
  e.meaning.words = words;
  e.line_size = static_cast<uint32_t>(size);
  // Where the widths change with every line it is not worth while to compare the next one with this one.
  e.elsewhere = std::exchange(e.other_size, e.line_size) != e.line_size;
  if (e.elsewhere) return true;
  e.size = e.line_size;
  std::memcpy(e.text.data(), text, size);
  e.places = now;
  MarkNumbers(&e);
  return true;
}

// False: they cannot be looked for.
bool ShapeMemo::AddWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.size() < sizeof(uint32_t)) return false;
    uint32_t four = 0;
    for (size_t i = 0; i < sizeof(uint32_t); ++i)
      four |= static_cast<uint32_t>(static_cast<uint8_t>(word[i])) << (8 * i);
    if (std::find(words_.begin(), words_.end(), four) != words_.end()) continue;
    if (words_.size() == kMostWords) return false;
    words_.push_back(four);
  }
  return true;
}

}  // namespace ncclwhy
