// MessageRecognizer: tells whether NCCL is known to print a message. Implemented by kb (the message catalogue); the
// parser only asks.
#pragma once

#include <string_view>

#include "parser/event.h"

namespace ncclwhy {

class MessageRecognizer {
 public:
  virtual ~MessageRecognizer() = default;
  // `body` is the text behind the header. The catalogue index of the message, or -1. Thread-safe: one catalogue serves
  // all sources that are read at once. Asked about every message that is neither quiet nor remembered, so it must be
  // cheap for texts it does not know.
  virtual int Recognize(LogLevel level, std::string_view body) const = 0;
};

}  // namespace ncclwhy
