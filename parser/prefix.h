// NCCL's own header, of every era, and what to do when it is cut, torn or doubled. See parser/README.md for the
// grammar.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/parsed_line.h"

namespace ncclwhy {

// Offsets are into the text that was given to the function, prefixes of it included.
struct HeaderMatch {
  NcclHeader header;
  size_t begin = 0;  // where the header starts in the text
  size_t body = 0;   // where the message starts
  bool cut = false;  // the left part of the header is missing although something stands in front of it
};

// The header that `text` begins with (an NCCL time stamp in brackets may precede it). Accepts
//   HOST:PID:TID [DEV] [MS] [FILE:NN] [(FUNCTION)] NCCL LEVEL   and without NCCL (2.0 – 2.2)
//   HOST:PID NCCL DIAG
//   [DEV] NCCL LEVEL, FILE:NN NCCL WARN, NCCL LEVEL             (the host was cut off by who pasted it)
// False leaves `match` undefined. Views of `match` point into `text`. Does not look beyond the beginning: text that
// stands in front makes it false.
bool ParseHeader(std::string_view text, HeaderMatch* match);

// The same where `text` is known to begin with `host:pid:tid [dev] ` of `size` bytes; who calls has filled these in
// match->header.
bool ParseHeaderBehindDevice(std::string_view text, size_t size, HeaderMatch* match);

// False: no header begins `text`, whatever its numbers are.
bool MayBeginWithHeader(std::string_view text);

// `stone:2984736:29`: how long the host of a header is that may have been cut off behind it; 0: there is none. The text
// alone is no proof: who calls knows which hosts there are.
size_t HostOfCutHeader(std::string_view text);

// How long the `136.580392 ` of a TRACE line is that `text` begins with; 0: there is none.
size_t MillisecondsSize(std::string_view text);

// The first header at or behind `from`, found by its ` NCCL LEVEL ` and read backwards: text of any kind may stand in
// front, as where two processes write into one line:
//   step 41200 loss 2.1node07:4711:4802 [3] NCCL WARN Call to ibv_reg_mr failed
// The host is the longest run of host characters, 1node07 here; who knows the real hosts must shorten it.
// What is left of a header is believed for the level's sake; `match->cut` says that its host is gone.
bool FindHeader(std::string_view text, size_t from, HeaderMatch* match);

// `NCCL version 2.21.5+cuda12.4`, `RCCL version : 2.22.3-HEAD:271856d`, `HIP version …`, `ROCm version`, `Librccl
// path`, and aws-ofi-nccl outside NCCL: `WARN: Function: f Line: 459: NET/OFI …`.
bool ParseHeaderless(std::string_view text, HeaderMatch* match);

// Position of a PyTorch C++ log record at or behind `from`: `[rank3]:[E…`, `[E ProcessGroupNCCL.cpp:458] `; npos if
// none.
size_t FindTorchRecord(std::string_view text, size_t from);

// False: FindHeader and FindTorchRecord see nothing at or behind `from`, and no & is there either.
bool MayHoldMore(std::string_view text, size_t from);

}  // namespace ncclwhy
