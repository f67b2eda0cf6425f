// Standard input when no LOG is named: a paste on a terminal, or what a pipe brings.
#pragma once

#include "ncclwhy/language.h"

namespace ncclwhy {

// Says on standard error what to do on a terminal; of a pipe that brings nothing for five seconds, that it is waited
// for. Returns when there is something to read, or nothing will come.
void AwaitStandardInput(Language language);

}  // namespace ncclwhy
