// Whose memory an out-of-memory line of PyTorch speaks of.
#pragma once

#include <string_view>

namespace ncclwhy {

// GPU 6 has a total capacity of 79.25 GiB … Process 233214 has 69.41 GiB memory in use. Of the allocated memory 61.02
// GiB is allocated by PyTorch
// True: what that process holds and what this one holds are more than the GPU has, so it is this one, as another pid
// namespace counts it.
bool HolderIsItself(std::string_view text);

}  // namespace ncclwhy
