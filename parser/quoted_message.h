// QuotedMessage: where a line without a header may hold the bare words of an NCCL warning.
//   Last error:
//   NET/IB : mlx5_2:1 async fatal event: local catastrophic error
//   … Last NCCL warning(error) log entry (may be unrelated) 'Cuda failure 'out of memory''.
// or a paste from a chat: a few lines, none of which has a header. The catalogue has the messages of UCX too, which
// stand behind a header of its own:
//   [1700000000.39] [gpu07:8204:0]  ib_md.c:349  UCX  ERROR ibv_reg_mr(address=0x7f72, length=4096) failed: …
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/scan.h"
#include "parser/telling_words.h"

namespace ncclwhy {

// One for each source, or segment of one: what a line may be depends on those in front of it. Not thread-safe.
class QuotedMessage {
 public:
  // Asked once for each line without a header, in order. `words`: of `text`. `headers`: the source has shown NCCL
  // headers before. The part of `text` that may be a message, or nothing.
  std::string_view In(std::string_view text, TellingWords words, bool headers) {
    const bool told = announced_;
    std::string_view head = text;
    while (!head.empty() && (scan::IsSpace(head.back()) || head.back() == '"' || head.back() == '\'')) {
      head.remove_suffix(1);
    }
    announced_ = scan::EndsWith(head, kAnnounced);
    if (told || (!headers && lines_++ < kPaste)) {
      const std::string_view quoted = Quoted(text, words);
      return quoted.empty() ? text : quoted;
    }
    return Quoted(text, words);
  }

  // For a later segment of the source, whose first line is not announced.
  QuotedMessage ForSegment() const {
    QuotedMessage out;
    out.lines_ = lines_;
    return out;
  }

 private:
  static constexpr std::string_view kAnnounced = "Last error:";
  static constexpr std::string_view kEntry = "log entry (may be unrelated) '";
  // Lines of a paste. What is longer is a program's own output.
  static constexpr uint32_t kPaste = 64;

  static std::string_view Quoted(std::string_view text, TellingWords words) {
    if (words.Has(TellingWord::kUcx)) {
      const std::string_view error = scan::After(text, "UCX  ERROR ");
      return error.empty() ? scan::After(text, "UCX  FATAL ") : error;
    }
    if (!words.Has(TellingWord::kLogEntry)) return {};
    text = scan::After(text, kEntry);
    while (!text.empty() && (text.back() == '.' || scan::IsSpace(text.back()))) text.remove_suffix(1);
    if (!text.empty() && text.back() == '\'') text.remove_suffix(1);
    return text;
  }

  uint32_t lines_ = 0;
  bool announced_ = false;
};

}  // namespace ncclwhy
