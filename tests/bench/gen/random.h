// Random: a small seeded generator, the same numbers on every machine (the standard's distributions are not).
#pragma once

#include <cstdint>

namespace ncclwhy::bench {

// A well-mixed function of two numbers; for values that must be the same whoever asks.
constexpr uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() { return Mix(state_++, 0x5851f42d4c957f2dull); }
  // 0 … bound - 1; bound > 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace ncclwhy::bench
