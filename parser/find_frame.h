// Finds the frame (line_frame.h) that the lines of a source stand in, from its beginning alone: a text that all of them
// share but for numbers, and that hides what stands behind it.
#pragma once

#include <string>
#include <string_view>

#include "parser/line_frame.h"

namespace ncclwhy {

// Enough lines to tell, and little to hold back. Nothing is parsed before the frame is known.
inline constexpr size_t kFrameBytes = 4096;

// `head`: the first kFrameBytes of the source, or all of it; its last line may be cut. None where a line begins with
// NCCL's header, or less than three lines say so. Compares each place where a frame may end with each line: asked once
// a source.
LineFrame FindFrame(std::string_view head);

// The text without its frame and all prefixes, for whoever shows it without what stands around it. A line stays a line,
// so numbers of lines stay what they are; offsets do not. Empty where not nearly all lines (seven of eight) have some.
std::string BareText(std::string_view text, const LineFrame& frame);

}  // namespace ncclwhy
