// What the name of a file says of what is written there.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// job.db, job.sqlite, job.sqlite3: the timeline, as --db makes it.
bool IsTimelineName(std::string_view path);

// A sentence where a suffix is none of ours, and a report goes there as text all the same; empty for names without a
// suffix, and for those of text.
//    why.pdf: written as text; .txt .json .md .html .sarif .xml .trace .db name other forms
std::string UnknownSuffix(std::string_view path);

}  // namespace ncclwhy
