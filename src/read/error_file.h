// The error file of a torchelastic worker: what its process says of its own end, where PyTorch's agent looks for it.
//
//   {"message": {"message": "RuntimeError: NCCL error …", "extraInfo": {"py_callstack": "Traceback …", "timestamp":
//   "1"}}}
//
// Source: torch/distributed/elastic/multiprocessing/errors, PyTorch 1.9 to 2.9. Positions are lines of the text inside.
#pragma once

#include <memory>
#include <string_view>

#include "read/witness.h"

namespace ncclwhy {

// An object that begins with "message" and an object in it. A log of JSON lines has a text there.
//    {"message": {"message": "RuntimeError: …     an error file
//    {"message": "RuntimeError: …                 a line of a log
bool LooksLikeErrorFile(std::string_view first);
// What does not turn out to be one, or is longer than limits::kPastedBytes, is read as text.
std::unique_ptr<Witness> NewErrorFile(const WitnessContext& context);

}  // namespace ncclwhy
