// RunLimited: the real binary under a memory limit, with a generator for its standard input, measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy::hostile {

// Takes bytes of standard input; false: nobody reads any more, stop.
using Feed = std::function<bool(std::string_view)>;
// Writes standard input. Nothing has to exist on disk.
using Generator = std::function<void(const Feed&)>;

struct Outcome {
  int exit = -1;  // -1: killed by `signal`
  int signal = 0;
  std::string out, err;  // at most kKept bytes of each; all of it is read
  uint64_t out_bytes = 0;
  double seconds = 0;       // of processor time
  uint64_t peak_bytes = 0;  // resident
  uint64_t fed_bytes = 0;

  static constexpr size_t kKept = 16u << 20;
};

struct Limits {
  uint64_t address_space = 2ull << 30;  // 0: none. Room for threads' stacks and arenas, not for data
  unsigned seconds = 300;               // wall clock, then SIGKILL
};

// `arguments` stand behind `ncclwhy`. An empty generator: standard input is /dev/null.
Outcome RunLimited(const std::vector<std::string>& arguments, const Generator& input = {}, const Limits& limits = {});

// The binary of this build, or the one that NCCLWHY names.
const char* Binary();

// True where address space cannot be limited and memory is not the program's own: under sanitizers.
bool Sanitized();

// True when NCCLWHY_HOSTILE=full: as large as the promises, minutes instead of seconds.
bool Full();

}  // namespace ncclwhy::hostile
