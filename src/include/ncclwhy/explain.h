// Explain: what is known about a cause, a variable, a code or a message, without any log.
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/analyzer.h"
#include "ncclwhy/export.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// `what`: the id of a cause ("shm.too-small"), a variable ("NCCL_IB_GID_INDEX"), a table and a code ("xid 79"), a
// message or a line of a log; "" lists all causes, one line each. The answer is text for a terminal, in the language of
// `format`. Of `options` only kb_directories and rule_directories matter. kNotFound, with what is similar, when nothing
// is known. Any threads may call it at once.
NCCLWHY_EXPORT Result<std::string> Explain(std::string_view what, const AnalyzerOptions& options,
                                           const ReportFormat& format);

}  // namespace ncclwhy
