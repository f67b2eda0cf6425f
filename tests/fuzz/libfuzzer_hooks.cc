// Gives libFuzzer our mutations beside its own. Linked into the targets that read logs.
#include <algorithm>
#include <cstring>

#include "fuzz/nccl_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

size_t Store(const std::string& text, uint8_t* out, size_t max_size) {
  const size_t n = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), n);
  return n;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  ncclwhy::fuzz::Dice dice(uint64_t{seed});
  if (dice.Below(3) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(ncclwhy::fuzz::View(data, size));
  for (size_t n = 1 + dice.Below(4); n > 0; --n) text = ncclwhy::fuzz::MutateLog(text, max_size, dice);
  return Store(text, data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size, unsigned int seed);
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size, unsigned int seed) {
  using ncclwhy::fuzz::View;
  ncclwhy::fuzz::Dice dice(uint64_t{seed});
  return Store(ncclwhy::fuzz::InterleaveLogs(View(a, a_size), View(b, b_size), max_size, dice), out, max_size);
}
