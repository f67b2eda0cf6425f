// Words that redaction asks for: what says that there is no value, what is said of every job, and what anybody may say.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "report/redact_patterns.h"

namespace ncclwhy {

// Of ASCII.
std::string Lowered(std::string_view text);

// What stands for a value that is not there.
//    password=***   password: missing
bool SaysNothing(std::string_view text, Sure sure);

// What reports and logs say of any job, in every second sentence. A host that is called so is replaced where it is
// marked as one; everywhere else the word is what it says.
//    srun: error: rank: task 3: Killed   and   rank 0 ended first
bool IsOwnWord(std::string_view text);

// A word that everybody uses, or a number that may be any.
bool IsCommon(std::string_view text);

}  // namespace ncclwhy
