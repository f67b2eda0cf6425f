// Redaction: a report that may leave the company. Hosts, addresses, GUIDs, user names, paths and tokens get aliases
// (host-1, ip-2, …) that are the same everywhere in the report, so that it still reads.
//
// Known limits: names that nothing marks as a name (a project in a free text) stay. Knowledge texts and NCCL's own file
// names are kept, and so are system paths (/dev, /sys, /proc, /usr, /lib, /etc, /tmp).
#pragma once

#include "ncclwhy/report.h"

namespace ncclwhy {

Report Redact(Report report);

}  // namespace ncclwhy
