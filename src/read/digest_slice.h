// A part of a source as a digest of its own, for a stream that holds several runs one behind the other. A stream is
// read once, and where a run begins is often known only behind its beginning: so the digest is taken apart, not the
// text.
#pragma once

#include <cstdint>

#include "read/source_digest.h"

namespace ncclwhy {

// Lines `first` to `last`, both included, 1-based, with the numbers that they have in the source. What was only counted
// (repeats beyond a limit, beats between the kept places of a trail, recognised lines) is shared out as near as the
// digest tells. Throws when memory runs out.
//    epoch 0 … Traceback … (restart) epoch 0 … done      lines 1-4711 and 4712-9000: two digests
// Ids of texts stay those of `whole`, as all of them are copied. `whole` may be read by several threads at once.
SourceDigest SliceOf(const SourceDigest& whole, uint32_t first, uint32_t last);

}  // namespace ncclwhy
