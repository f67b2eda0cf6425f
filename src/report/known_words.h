// Words that say nothing of a site: those of the knowledge, of the rules and of our own sentences (collected when it is
// built), numbers, versions, units, names that NCCL and its libraries make, and devices as every machine numbers them.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

namespace ncclwhy {

// `token` is a run of letters, digits, `_` and of `-`, `.`, `+` between them. Names of hosts, users, pods, projects and
// keys are not known.
bool IsKnownWord(std::string_view token);

// A run of ideographs that the knowledge holds: every two neighbours of it do.
bool IsKnownHan(std::string_view run);

// A path or URL that the knowledge names as it stands.
bool IsKnownPlace(std::string_view text);

}  // namespace ncclwhy
