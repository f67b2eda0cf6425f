// Redaction: a report that may leave the company. Whatever is not known to say nothing of a site (known_words.h: words
// of the knowledge and of NCCL, numbers, versions, devices) gets an alias (host-1, ip-2, name-3 …) that is the same
// everywhere in the report, so that it still reads. `coverage.notes` says how many of each kind ("redacted_host").
//
// Known limits: names that are words of the knowledge and stand where nothing marks them as names ("the node"),
// numbers, and names that have the shape of an alias already.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// `language`: of the report's own sentences. `hosts`: of the job, also those that the report does not list.
Report Redact(Report report, Language language, const std::vector<std::string>& hosts = {});

}  // namespace ncclwhy
