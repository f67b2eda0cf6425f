// MistakenLog: what was named as a log by mistake.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/language.h"

namespace ncclwhy {

// One sentence with what was meant: a command that stands behind options, a timeline or another database. Empty when
// `log` may be a log. Only for what was named itself: beside the logs of a directory, a timeline is just another file.
std::string MistakenLog(const std::string& log, Language language);

// One sentence when nothing is there to read: no file of that name, none that a glob matches, none in a folder; with
// the command that was probably meant. Else empty. `names_only`: empty folders and globs are left to the report.
//    minimise: does not exist; did you mean minimize?
std::string NothingThere(const std::vector<std::string>& logs, bool names_only, Language language);

// The same for a first name that is near a command's, though what stands behind it is there:
//    ncclwhy minimise logs/
std::string MisspeltCommand(const std::vector<std::string>& logs, Language language);

}  // namespace ncclwhy
