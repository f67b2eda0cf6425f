// The facts of a flight recorder's dump (flight_recorder.h).
#pragma once

#include "parser/facts.h"
#include "read/document.h"

namespace ncclwhy {

// False when the document is no dump: it has neither calls nor groups.
// `facts` are those of a new source. Rank, groups, calls and what is pending are told as events and streams
// (flight_recorder.h).
bool AddRecorderFacts(const Document& document, SourceFacts* facts);

}  // namespace ncclwhy
