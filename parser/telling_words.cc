#include "parser/telling_words.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define NCCLWHY_AVX2 1
#endif

namespace ncclwhy {
namespace {

// In the order of TellingWord.
constexpr std::string_view kWords[] = {
    "NCCL",
    "(exitcode: ",
    "Sending process ",
    "process rank ",
    "NCCL failure ",
    "Test CUDA failure ",
    "(may be unrelated) '",  // of "log entry (may be unrelated) '": `log` is in every other line of a logger
    "ProcessGroupNCCL",
    "DistBackendError",
    "torch.distributed.elastic",
    "torch/distributed/elastic",
    "*** Process received signal",
    "] Signal: ",
    "Caught signal",
    "UCX  ",
    "NVRM: Xid",
    "OOMKilled",
    "FailedScheduling",
    "CrashLoopBackOff",
    " kubelet",
    "segfault at ",
};
constexpr size_t kCount = std::size(kWords);
static_assert(kCount == static_cast<size_t>(TellingWord::kSegfault) + 1 && kCount <= 32);

// The first three bytes of each word. Bit b of a table at a byte: a word of group b has it at that place.
struct Groups {
  static constexpr size_t kPlaces = 3;
  std::array<std::array<uint8_t, 256>, kPlaces> by_byte{};
  std::array<std::array<uint8_t, 16>, kPlaces> by_low{}, by_high{};  // by half of the byte
  std::array<uint32_t, 8> words{};                                   // by group

  constexpr Groups() {
    for (size_t i = 0; i < kCount; ++i) {
      const auto bit = static_cast<uint8_t>(1u << (i % 8));
      words[i % 8] |= uint32_t{1} << i;
      for (size_t place = 0; place < kPlaces; ++place) {
        const auto byte = static_cast<unsigned char>(kWords[i][place]);
        by_byte[place][byte] |= bit;
        by_low[place][byte & 15] |= bit;
        by_high[place][byte >> 4] |= bit;
      }
    }
  }
};
alignas(16) constexpr Groups kGroups;

// Which words of the groups `groups` begin `text`.
[[gnu::noinline]] uint32_t Beginning(std::string_view text, uint32_t groups) {
  uint32_t found = 0;
  for (; groups != 0; groups &= groups - 1) {
    for (uint32_t words = kGroups.words[static_cast<size_t>(std::countr_zero(groups))]; words != 0;
         words &= words - 1) {
      const std::string_view word = kWords[static_cast<size_t>(std::countr_zero(words))];
      // Nearly always another byte differs: halves of bytes were looked up, of all words of a group at once.
      if (word[0] != text[0] || word[1] != text[1] || word[2] != text[2]) continue;
      if (text.size() >= word.size() && std::memcmp(text.data(), word.data(), word.size()) == 0)
        found |= words & -words;
    }
  }
  return found;
}

uint32_t FindPortably(std::string_view text) {
  const auto at = [&](size_t place, size_t i) {
    return kGroups.by_byte[place][static_cast<unsigned char>(text[i + place])];
  };
  uint32_t found = 0;
  for (size_t i = 0; i + Groups::kPlaces <= text.size(); ++i) {
    const uint32_t groups = uint32_t{at(0, i)} & at(1, i) & at(2, i);
    if (groups != 0) found |= Beginning(text.substr(i), groups);
  }
  return found;
}

#ifdef NCCLWHY_AVX2
// The tables of a place, for the halves of 32 bytes at a time.
struct PlaceTables {
  __m256i low, high;
};

[[gnu::target("avx2")]] inline PlaceTables TablesOf(size_t place) {
  const auto* const low = reinterpret_cast<const __m128i*>(kGroups.by_low[place].data());
  const auto* const high = reinterpret_cast<const __m128i*>(kGroups.by_high[place].data());
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

[[gnu::target("avx2")]] uint32_t FindWithAvx2(std::string_view text) {
  constexpr size_t kStep = 32;
  constexpr size_t kReach = kStep + Groups::kPlaces - 1;
  if (text.size() < kReach) return FindPortably(text);
  const PlaceTables first = TablesOf(0), second = TablesOf(1), third = TablesOf(2);
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

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
#endif

}  // namespace

uint32_t TellingWords::Find(std::string_view text) {
#ifdef NCCLWHY_AVX2
  if (HasAvx2()) return FindWithAvx2(text);
#endif
  return FindPortably(text);
}

}  // namespace ncclwhy
