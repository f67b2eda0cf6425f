// ShapeProver: whoever stands behind recognizer and sink, asked about all lines of a skeleton at once. Implemented by
// src/read with the help of kb and rules; only the fast path asks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/event.h"

namespace ncclwhy {

// One for a thread, as it counts. An answer is true for the catalogue and the rules of this run.
class ShapeProver {
 public:
  virtual ~ShapeProver() = default;
  // Whether all NCCL messages of this level and skeleton (parser/skeleton.h), whatever their numbers are, would be
  // recognised as `message` (kNoMessage: as none) and do nothing but count as that; except for texts with one of the
  // `words`, which it may add, in a hexadecimal number. False where that depends on the numbers, or is not known.
  //    sendProxy [D/D] request 0xH done     known, silent, and no rule has a word of it
  virtual bool OnlyCounts(LogLevel level, std::string_view shape, int message, std::vector<std::string>* words) = 0;
  // The message that all texts of this level and shape (parser/line_shape.h) are recognised as, kNoMessage where none
  // of them is; kDepends where that depends on the numbers, or is not known.
  // Messages are numbers of the recognizer (parser/recognizer.h).
  virtual int MessageOf(LogLevel level, std::string_view shape) = 0;
  // Beside the numbers of messages, which begin at 0.
  static constexpr int kNoMessage = -1;
  static constexpr int kDepends = -2;
  // Counts such a line.
  // In place of LineSink::OnLine; never for kNoMessage.
  virtual void Count(int message) = 0;
};

}  // namespace ncclwhy
