// Several files in one text, each under a heading that a tool or a script printed; what stands in each is a source of
// its own, as if it had been given by itself.
//
//   ==> log.gpu3 <==             tail and head
//   ::::::::::::::               more: three lines
//   node1/rank_0.err
//   ::::::::::::::
//   ---------------              clush -b, dshbak: the name is a host
//   node12
//   ---------------
//   ===== worker-1.log =====     for f in *.log; do echo "===== $f ====="; cat $f; done
//
// Whoever came back to a name goes on with its file (tail -f). Places in reports are those of the text that was given.
#pragma once

#include <memory>
#include <string_view>

#include "read/witness.h"

namespace ncclwhy {

// A heading in one of its first lines: in front of it stands the command that was called, or nothing.
bool LooksLikeHeadedFiles(std::string_view first);
// Read as one text if no second name comes within kHeadedBytes: one heading of its own parts nothing.
std::unique_ptr<Witness> NewHeadedFiles(const WitnessContext& context);

}  // namespace ncclwhy
