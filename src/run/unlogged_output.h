// UnloggedOutput: the end of what a command printed that no log could take, because the disk is full: in memory that
// the wrapper shares with the keeper (shared_memory.h), so that there is an answer nevertheless.
//
// One process writes; others read when it has told them that it is done, or take a line that is torn.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

class UnloggedOutput {
 public:
  static constexpr size_t kBytes = 1 << 20;

  void Add(std::string_view bytes);
  // What is left of it, from the beginning of a line.
  std::string Text() const;

 private:
  // Bytes that were ever added: the place of the next one in the ring is the rest of it by kBytes.
  std::atomic<uint64_t> total_{0};
  std::array<char, kBytes> ring_;  // not touched before it is needed
};

}  // namespace ncclwhy
