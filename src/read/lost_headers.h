// Lines of NCCL whose whole header was cut off, in a text that somebody pasted.
//
//   Using network Socket                         →   NCCL INFO Using network Socket
//   Duplicate GPU detected : rank 6 and rank 4   →   NCCL WARN Duplicate GPU detected : rank 6 and rank 4
#pragma once

#include <string>
#include <string_view>

#include "kb/loader/kb.h"

namespace ncclwhy {

// The text with a header in front of each line, behind its prefix, that is a whole message of the catalogue with enough
// words of its own; a line stays a line. Empty where there are none.
// Only for pasted texts without any header of NCCL: a log of another program may say the same words. Lines behind `Last
// error:` are left, as PyTorch quotes NCCL there.
std::string WithHeaders(std::string_view text, const KnowledgeBase& kb);

}  // namespace ncclwhy
