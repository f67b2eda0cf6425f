// Whether code for AVX2 can be built (NCCLWHY_AVX2), and may be run on this machine. Functions that use it are marked
// [[gnu::target("avx2")]] and have one beside them that needs nothing.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define NCCLWHY_AVX2 1
#endif

namespace ncclwhy {

// The processor is asked once, at the first call; that is safe from several threads.
// False also where the program was built for another processor: the caller then takes its portable function, with the
// same result.
inline bool HasAvx2() {
#ifdef NCCLWHY_AVX2
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
#else
  return false;
#endif
}

}  // namespace ncclwhy
