// CommandBatch: runs commands side by side, each with a limit of time and of output; those that outlive it are killed
// with all that they started. They get nothing to read, and the environment with LC_ALL=C.
//
// The process must have one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace ncclwhy {

// What to run, and what came of it: RunBatch fills the lower half.
struct CommandRun {
  enum class End { kAbsent, kEnded, kStopped, kFull };

  std::vector<std::string> words;
  std::chrono::milliseconds limit{10000};
  // Afterwards.
  End end = End::kAbsent;  // kStopped: it took too long; kFull: it printed too much
  int status = 0;          // 128+n for signals
  std::string output;      // of both of its outputs, as far as it came
  std::chrono::milliseconds took{0};

  // It ended well, and said something.
  bool worked() const { return end == End::kFull || (end == End::kEnded && status == 0); }
};

inline constexpr size_t kMostOutput = 16 << 20;  // of one command

// All at once; returns when the last one has ended or was stopped. A command that is not there costs nothing.
void RunBatch(std::vector<CommandRun*> batch);

}  // namespace ncclwhy
