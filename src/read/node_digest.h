// NodeDigest: the digests of many sources in one file, which `ncclwhy digest` writes and every reading of logs takes.
// The format stands in DIGEST_FORMAT.md of this folder.
//
//    sources → WriteNodeDigest → bytes, packed → ReadSource unpacks → NewNodeDigest → the same sources
//
// A digest that was made otherwise than this program would make it is refused, by name: with another version of the
// program, with other rules or messages, with another timeline. What its maker could not find, no reader finds.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/status.h"
#include "read/witness.h"

namespace ncclwhy {

// Changes with digest_fields.h and with the frames.
inline constexpr uint32_t kDigestFormat = 3;

// `sources` in the order of SortSources, `problems`: what could not be read of them. Fails at a limit.
// Equal sources make equal bytes. kLimit names the source that says too much.
Result<std::string> WriteNodeDigest(const std::vector<SourceDigest>& sources, const std::vector<std::string>& problems,
                                    const RuleSet& rules, const KnowledgeBase& kb, bool full_timeline);

// The same before it is packed, which is read as well.
Result<std::string> UnpackedNodeDigest(const std::vector<SourceDigest>& sources,
                                       const std::vector<std::string>& problems, const RuleSet& rules,
                                       const KnowledgeBase& kb, bool full_timeline);

// Of unpacked bytes.
bool LooksLikeNodeDigest(std::string_view first);
// The one witness that yields several sources: Witness::FinishAll.
std::unique_ptr<Witness> NewNodeDigest(const WitnessContext& context);

}  // namespace ncclwhy
