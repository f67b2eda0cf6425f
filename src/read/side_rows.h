// Side rows: all lines of a short text that lies beside the log, for whoever compares the row of one host with those of
// the others.
//   driver_inventory.txt: dl25 580.82.07 …      dl26 570.133.20 …
#pragma once

#include <string_view>

#include "parser/facts.h"

namespace ncclwhy {

// Fills `rows` where `text`, which `facts` were read from, is short and holds no line of NCCL.
void KeepSideRows(std::string_view text, SourceFacts* facts);

}  // namespace ncclwhy
