// A warning whose header was cut off in front of the level says no longer where it stands in NCCL's sources; the trace
// of results that follows does.
//
//   NCCL WARN Cuda failure 1 'invalid argument'      →   transport/nvls.cc:394 NCCL WARN Cuda failure 1 'invalid …'
//   NCCL INFO transport/nvls.cc:394 -> 1
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// The text with the files that can be told; a line stays a line. Empty where there are none. Only a trace in the very
// next line counts, and no file is put where the header has one. Why: rules and the catalogue tell messages of the same
// words apart by their file.
std::string NameFiles(std::string_view text);

}  // namespace ncclwhy
