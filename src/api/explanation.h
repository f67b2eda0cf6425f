// Explanations: what a cause, a variable, a code or a message means, as text. Everything comes from kb and rules.
//
// Each returns an empty text when it knows nothing about what it was asked.
#pragma once

#include <string>
#include <string_view>

#include "api/knowledge.h"
#include "report/renderer.h"

namespace ncclwhy {

// `id` as in kb/causes: shm.too-small
std::string ExplainCause(std::string_view id, const KnowledgeBase& kb, const RenderOptions& options);
// NCCL_IB_GID_INDEX, and names that look like a variable but are none.
std::string ExplainVariable(std::string_view name, const KnowledgeBase& kb, const RenderOptions& options);
// "xid 79", "errno 110", "nccl_result 3": a table of kb/codes.json and a number.
std::string ExplainCode(std::string_view text, const KnowledgeBase& kb, const RenderOptions& options);
// The causes of rules and of the catalogue, the strongest first.
// A line of a log, whole or without its header.
// `seen`: public incidents with such a line, at most.
std::string ExplainMessage(std::string_view text, const Knowledge& knowledge, size_t seen,
                           const RenderOptions& options);

// All causes, one line each.
std::string ListCauses(const KnowledgeBase& kb, const RenderOptions& options);
// Behind a sentence that says that the text is not known.
// Ids that are near an unknown one, for a hint; may be empty.
std::string CausesLike(std::string_view text, const KnowledgeBase& kb);

}  // namespace ncclwhy
