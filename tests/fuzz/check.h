// What a fuzz target may claim: a property that does not hold ends the process, so that libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#define FUZZ_CHECK(condition)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: property does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                \
    }                                                                                              \
  } while (false)

namespace ncclwhy::fuzz {

inline std::string_view View(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// Deterministic numbers made from an input: where to cut it, which of two ways to go.
class Dice {
 public:
  explicit Dice(std::string_view seed) {
    for (const char c : seed) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  }
  explicit Dice(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  // 0 … below - 1; `below` is not 0.
  size_t Below(size_t below) {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<size_t>((z ^ (z >> 31)) % below);
  }

 private:
  uint64_t state_ = 0xcbf29ce484222325ull;
};

// True when a piece of `inner` lies within `outer`; an empty view lies anywhere.
inline bool Within(std::string_view inner, std::string_view outer) {
  return inner.empty() || (inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size());
}

}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
