// Standard streams that somebody closed (`ncclwhy run -- make >&-`): the next file that is opened would get their
// number, and what is meant for a terminal would be written into it.
#pragma once

namespace ncclwhy {

// Before anything is opened. Whoever reads or writes a stream that was closed fails as before.
void KeepClosedStreamsFree();

}  // namespace ncclwhy
