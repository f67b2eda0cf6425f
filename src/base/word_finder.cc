#include "base/word_finder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/avx2.h"

namespace ncclwhy {

[[gnu::noinline]] uint64_t WordFinder::BitAt(std::string_view text, size_t at, size_t word) const {
  const std::string_view sought = words_[word];
  if (text.size() - at < sought.size()) return 0;
  const auto same = [&] { return std::memcmp(text.data() + at, sought.data(), sought.size()) == 0; };
  if (signs_.empty()) return same() ? uint64_t{1} << word : 0;
  const Sign& sign = signs_[word];
  if (at + sought.size() > sign.within) return 0;
  const auto alike = [&] {
    return std::equal(sought.begin(), sought.end(), text.data() + at,
                      [](char a, char b) { return (a | kSmall) == (b | kSmall); });
  };
  return (sign.any_case ? alike() : same()) ? uint64_t{1} << sign.bit : 0;
}

uint64_t WordFinder::FindPortably(std::string_view text) const {
  uint64_t found = 0;
  for (size_t at = 0; at + kLeast <= text.size(); ++at) {
    const auto of = [&](size_t half) {
      uint32_t groups = 0xFF;
      for (size_t place = 0; place < kLeast; ++place) {
        const auto byte = static_cast<uint8_t>(text[at + place] | fold_);
        groups &= uint32_t{tables_[half][place].low[byte & 15]} & tables_[half][place].high[byte >> 4];
      }
      return groups;
    };
    const uint32_t head = HeadOf(text.data() + at, fold_);
    for (uint32_t groups = of(0) | of(1) << kHalf; groups != 0; groups &= groups - 1) {
      const Group& group = groups_[static_cast<size_t>(std::countr_zero(groups))];
      for (size_t i = 0; i < group.size; ++i) {
        if (group.heads[i] == head) found |= BitAt(text, at, group.words[i]);
      }
    }
  }
  return found;
}

#ifdef NCCLWHY_AVX2
namespace {

// What a table has at halves of 32 bytes.
[[gnu::target("avx2")]] inline __m256i At(const std::array<uint8_t, 16>& table, __m256i halves) {
  const __m128i values = _mm_load_si128(reinterpret_cast<const __m128i*>(table.data()));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), halves);
}

}  // namespace

// What the tables let through is compared with the heads of a group at once.
[[gnu::target("avx2"), gnu::always_inline]] inline uint64_t WordFinder::BeginningWithAvx2(std::string_view text,
                                                                                          size_t at,
                                                                                          uint32_t groups) const {
  if (text.size() - at < kLeast) return 0;
  const auto head = static_cast<int>(HeadOf(text.data() + at, fold_));
  uint64_t found = 0;
  for (; groups != 0; groups &= groups - 1) {
    const Group& group = groups_[static_cast<size_t>(std::countr_zero(groups))];
    const __m256i heads = _mm256_load_si256(reinterpret_cast<const __m256i*>(group.heads.data()));
    const __m256i same = _mm256_cmpeq_epi32(heads, _mm256_set1_epi32(head));
    auto words = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
    for (words &= (1u << group.size) - 1; words != 0; words &= words - 1) {
      found |= BitAt(text, at, group.words[static_cast<size_t>(std::countr_zero(words))]);
    }
  }
  return found;
}

// The words that begin at the places of `places` from `at` of the text on; `by_place` has the bytes there, and behind
// each the next ones.
template <bool kBoth>
[[gnu::target("avx2"), gnu::always_inline]] inline uint64_t WordFinder::StepWithAvx2(std::string_view text, size_t at,
                                                                                     const __m256i (&by_place)[kPlaces],
                                                                                     uint32_t places) const {
  const __m256i half = _mm256_set1_epi8(15);
  __m256i first = _mm256_set1_epi8(-1);
  __m256i second = first;
  for (size_t place = 0; place < kPlaces; ++place) {
    const __m256i bytes = _mm256_or_si256(by_place[place], _mm256_set1_epi8(fold_));
    const __m256i low = _mm256_and_si256(bytes, half);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
    const Tables& of_first = tables_[0][place];
    first = _mm256_and_si256(first, _mm256_and_si256(At(of_first.low, low), At(of_first.high, high)));
    if constexpr (kBoth) {
      const Tables& of_second = tables_[1][place];
      second = _mm256_and_si256(second, _mm256_and_si256(At(of_second.low, low), At(of_second.high, high)));
    }
  }
  const __m256i none = _mm256_cmpeq_epi8(kBoth ? _mm256_or_si256(first, second) : first, _mm256_setzero_si256());
  uint32_t hits = ~static_cast<uint32_t>(_mm256_movemask_epi8(none)) & places;
  if (hits == 0) return 0;
  alignas(32) std::array<uint8_t, kStep> of_first;
  alignas(32) std::array<uint8_t, kStep> of_second;
  _mm256_store_si256(reinterpret_cast<__m256i*>(of_first.data()), first);
  _mm256_store_si256(reinterpret_cast<__m256i*>(of_second.data()), second);
  uint64_t found = 0;
  for (; hits != 0; hits &= hits - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(hits));
    found |= BeginningWithAvx2(text, at + i, of_first[i] | (kBoth ? uint32_t{of_second[i]} << kHalf : 0));
  }
  return found;
}

template <bool kBoth>
[[gnu::target("avx2")]] uint64_t WordFinder::FindWithAvx2(std::string_view text) const {
  const auto load = [](const char* p) { return reinterpret_cast<const __m256i*>(p); };
  uint64_t found = 0;
  size_t at = 0;
  for (; at + kStep + kPlaces - 1 <= text.size(); at += kStep) {
    const char* const p = text.data() + at;
    const __m256i by_place[] = {_mm256_loadu_si256(load(p)), _mm256_loadu_si256(load(p + 1)),
                                _mm256_loadu_si256(load(p + 2)), _mm256_loadu_si256(load(p + 3))};
    found |= StepWithAvx2<kBoth>(text, at, by_place, UINT32_MAX);
  }
  // The rest: behind its bytes come zeros, which are in no word.
  alignas(32) std::array<char, kStep> few{};
  while (text.size() - at >= kLeast) {
    const size_t left = text.size() - at;
    const char* p = text.data() + at;
    size_t from = at;
    uint32_t places = UINT32_MAX;
    if (text.size() < kStep) {
      p = static_cast<const char*>(std::memcpy(few.data(), p, left));
    } else if (left <= kStep) {
      from = text.size() - kStep;
      p = text.data() + from;
      places <<= kStep - left;
    }
    const __m256i bytes = _mm256_loadu_si256(load(p));
    const __m256i behind = _mm256_permute2x128_si256(bytes, bytes, 0x81);  // the second half, and zeros
    const __m256i by_place[] = {bytes, _mm256_alignr_epi8(behind, bytes, 1), _mm256_alignr_epi8(behind, bytes, 2),
                                _mm256_alignr_epi8(behind, bytes, 3)};
    found |= StepWithAvx2<kBoth>(text, from, by_place, places);
    if (left <= kStep) break;
    at += kStep - kPlaces;  // the last places need bytes that were not loaded
  }
  return found;
}

#endif

uint64_t WordFinder::Find(std::string_view text) const {
  if (text.size() < kLeast) return 0;
#ifdef NCCLWHY_AVX2
  if (HasAvx2()) return words_.size() > kFew ? FindWithAvx2<true>(text) : FindWithAvx2<false>(text);
#endif
  return FindPortably(text);
}

}  // namespace ncclwhy
