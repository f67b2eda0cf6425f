// What word processors, chats and input methods make of ASCII, undone: blanks that do not break, full-width letters and
// punctuation, curly quotes, dashes, dots.
//   node3:4711:4802 [3] NCCL WARN …            ｎ：４７１１      Cuda failure 101 ‘invalid device ordinal’
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

struct Typewritten {
  std::string text;      // as many lines as there were; shorter
  uint64_t changes = 0;  // 0: `text` is empty, there was nothing
};

// A Chinese program writes full-width punctuation of its own: who asks compares which of both texts says more.
Typewritten AsTypewritten(std::string_view text);

}  // namespace ncclwhy
