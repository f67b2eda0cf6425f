// QuotedMessage: which lines without a header may hold the bare words of an NCCL warning.
//   Last error:
//   NET/IB : mlx5_2:1 async fatal event: local catastrophic error
// or a paste from a chat: a few lines, none of which has a header.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/scan.h"

namespace ncclwhy {

class QuotedMessage {
 public:
  // Asked once for each line without a header, in order. `headers`: the source has shown NCCL headers before.
  bool MayBe(std::string_view text, bool headers) {
    const bool told = announced_;
    while (!text.empty() && (scan::IsSpace(text.back()) || text.back() == '"' || text.back() == '\'')) {
      text.remove_suffix(1);
    }
    announced_ = scan::EndsWith(text, "Last error:");
    return told || (!headers && lines_++ < kPaste);
  }

 private:
  // Lines of a paste. What is longer is a program's own output.
  static constexpr uint32_t kPaste = 64;
  uint32_t lines_ = 0;
  bool announced_ = false;
};

}  // namespace ncclwhy
