// The buffers of a COLL line, which differ from call to call and tell nothing:
//    sendbuff 0x7f32 recvbuff 0x7f32                 NCCL
//    sendbuff 0x7f32 recvbuff 0x7f32 acc (nil)       RCCL, which may add to a third one
#pragma once

#include "parser/scan.h"

namespace ncclwhy {

// The cursor stands behind the op count, and then behind the last buffer. False: the line is cut, or of another kind.
inline bool SkipCollBuffers(scan::Cursor& c) {
  if (!c.Literal(" sendbuff ") || !c.SkipHex() || !c.Literal(" recvbuff ") || !c.SkipHex()) return false;
  return !c.Literal(" acc ") || c.SkipHex();
}

}  // namespace ncclwhy
