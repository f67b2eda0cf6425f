// The catalogue entry that a text means although it is no line of a log: the printf format itself, or part of a
// message.
#pragma once

#include <string_view>

#include "kb/loader/kb.h"

namespace ncclwhy {

// Linear in the catalogue: for a text that somebody typed, not for lines of a log.
// Index of the message whose format shares most words with `text`, or -1 when fewer than two thirds of the words agree.
int NearestMessage(std::string_view text, const KnowledgeBase& kb);

}  // namespace ncclwhy
