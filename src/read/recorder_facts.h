// The facts of a flight recorder's dump (flight_recorder.h).
#pragma once

#include "parser/facts.h"
#include "read/document.h"

namespace ncclwhy {

// False when the document is no dump: it has neither calls nor groups.
bool AddRecorderFacts(const Document& document, SourceFacts* facts);

}  // namespace ncclwhy
