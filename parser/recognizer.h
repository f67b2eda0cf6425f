// MessageRecognizer: tells whether NCCL is known to print a message. Implemented by kb (the message catalogue); the
// parser only asks.
#pragma once

#include <string_view>

#include "parser/event.h"

namespace ncclwhy {

class MessageRecognizer {
 public:
  virtual ~MessageRecognizer() = default;
  // `body` is the text behind the header. The catalogue index of the message, or -1. Thread-safe.
  virtual int Recognize(LogLevel level, std::string_view body) const = 0;
};

}  // namespace ncclwhy
