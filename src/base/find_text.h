// FindText: where a text of a few bytes stands in a line. std::string_view::find() asks memchr() for the first byte,
// and in a line of English an `e` or an `i` is everywhere: here the first and the last byte are compared at sixteen
// places at once, which hardly ever lets a place through that is none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ncclwhy {

// Like text.find(word, from). Reads no byte behind either text.
//    FindText("socketProgress: Connection closed by remote peer", "closed by") is 27
inline size_t FindText(std::string_view text, std::string_view word, size_t from = 0) {
#if defined(__SSE2__)
  constexpr size_t kStep = 16;
  if (word.size() < 2 || text.size() < from + word.size() + kStep - 1) return text.find(word, from);
  const size_t last = word.size() - 1;
  const __m128i first_byte = _mm_set1_epi8(word[0]);
  const __m128i last_byte = _mm_set1_epi8(word[last]);
  const auto places = [&](size_t at) {
    const char* const p = text.data() + at;
    const __m128i both =
        _mm_and_si128(_mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), first_byte),
                      _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + last)), last_byte));
    return static_cast<uint32_t>(_mm_movemask_epi8(both));
  };
  const size_t end = text.size() - last;  // of the places at which it may begin
  for (size_t at = from; at < end; at += kStep) {
    if (at + kStep > end) at = end - kStep;  // some are looked at twice
    for (uint32_t left = places(at); left != 0; left &= left - 1) {
      const size_t place = at + static_cast<size_t>(std::countr_zero(left));
      if (std::memcmp(text.data() + place + 1, word.data() + 1, last) == 0) return place;
    }
  }
  return std::string_view::npos;
#else
  return text.find(word, from);
#endif
}

inline bool HoldsText(std::string_view text, std::string_view word) {
  return FindText(text, word) != std::string_view::npos;
}

}  // namespace ncclwhy
