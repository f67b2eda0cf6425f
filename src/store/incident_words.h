// The words by which lines of different jobs are compared: those of the skeleton (parser/skeleton.h).
//
//   Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 4f000   →   duplicate gpu detected rank and both on cuda device
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// In lower case, each once, in order, the first kIncidentWords of them. Numbers are none, nor are `<placeholders>`, nor
// what stands in a text that has no skeleton (words of another script).
// Used for the incidents when the index is made and for the log when it is searched: a change here needs both, so the
// image is made anew by the build.
std::vector<std::string> IncidentWords(std::string_view text);

inline constexpr size_t kIncidentWords = 40;
// A longer word is a path or a token: of one job alone.
inline constexpr size_t kIncidentWordBytes = 48;

}  // namespace ncclwhy
