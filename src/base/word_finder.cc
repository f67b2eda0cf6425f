#include "base/word_finder.h"

#include <bit>
#include <cstring>

#include "base/avx2.h"

namespace ncclwhy {

// Which words of the groups `groups` begin `text`.
[[gnu::noinline]] uint32_t WordFinder::Beginning(std::string_view text, uint32_t groups) const {
  uint32_t found = 0;
  for (; groups != 0; groups &= groups - 1) {
    for (uint32_t words = groups_[static_cast<size_t>(std::countr_zero(groups))]; words != 0; words &= words - 1) {
      const std::string_view word = words_[static_cast<size_t>(std::countr_zero(words))];
      // Nearly always another byte differs: halves of bytes were looked up, of all words of a group at once.
      if (word[0] != text[0] || word[1] != text[1] || word[2] != text[2]) continue;
      if (text.size() >= word.size() && std::memcmp(text.data(), word.data(), word.size()) == 0)
        found |= words & -words;
    }
  }
  return found;
}

uint32_t WordFinder::FindPortably(std::string_view text) const {
  const auto at = [&](size_t place, size_t i) { return by_byte_[place][static_cast<unsigned char>(text[i + place])]; };
  uint32_t found = 0;
  for (size_t i = 0; i + kPlaces <= text.size(); ++i) {
    const uint32_t groups = uint32_t{at(0, i)} & at(1, i) & at(2, i);
    if (groups != 0) found |= Beginning(text.substr(i), groups);
  }
  return found;
}

#ifdef NCCLWHY_AVX2
namespace {

// The tables of a place, for the halves of 32 bytes at a time.
struct PlaceTables {
  __m256i low, high;
};

[[gnu::target("avx2")]] inline PlaceTables TablesOf(const uint8_t* by_low, const uint8_t* by_high) {
  const auto* const low = reinterpret_cast<const __m128i*>(by_low);
  const auto* const high = reinterpret_cast<const __m128i*>(by_high);
  return {_mm256_broadcastsi128_si256(_mm_loadu_si128(low)), _mm256_broadcastsi128_si256(_mm_loadu_si128(high))};
}

// The groups that have the bytes from `p` on at this place.
[[gnu::target("avx2")]] inline __m256i GroupsOf(const char* p, const PlaceTables& tables) {
  const __m256i half = _mm256_set1_epi8(15);
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i low = _mm256_and_si256(bytes, half);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
  return _mm256_and_si256(_mm256_shuffle_epi8(tables.low, low), _mm256_shuffle_epi8(tables.high, high));
}

}  // namespace

[[gnu::target("avx2")]] uint32_t WordFinder::FindWithAvx2(std::string_view text) const {
  constexpr size_t kStep = 32;
  constexpr size_t kReach = kStep + kPlaces - 1;
  if (text.size() < kReach) return FindPortably(text);
  const auto tables = [&](size_t place) { return TablesOf(by_low_[place].data(), by_high_[place].data()); };
  const PlaceTables first = tables(0), second = tables(1), third = tables(2);
  uint32_t found = 0;
  for (size_t at = 0;;) {
    const char* const p = text.data() + at;
    const __m256i groups =
        _mm256_and_si256(GroupsOf(p, first), _mm256_and_si256(GroupsOf(p + 1, second), GroupsOf(p + 2, third)));
    auto hits = ~static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256())));
    if (hits != 0) {
      alignas(32) std::array<uint8_t, kStep> by_place;
      _mm256_store_si256(reinterpret_cast<__m256i*>(by_place.data()), groups);
      for (; hits != 0; hits &= hits - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(hits));
        found |= Beginning(text.substr(at + i), by_place[i]);
      }
    }
    if (at + kReach == text.size()) return found;
    at = at + kStep + kReach <= text.size() ? at + kStep : text.size() - kReach;  // the last bytes once more
  }
}

#endif

uint32_t WordFinder::Find(std::string_view text) const {
#ifdef NCCLWHY_AVX2
  if (HasAvx2()) return FindWithAvx2(text);
#endif
  return FindPortably(text);
}

}  // namespace ncclwhy
