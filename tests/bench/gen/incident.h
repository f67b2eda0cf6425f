// Incident: incident.json beside the logs, the label that samples/ uses too.
#pragma once

#include <string>

#include "gen/fault.h"
#include "ncclwhy/status.h"

namespace ncclwhy::bench {

Status WriteIncident(const Job& job, const Label& label, const std::string& path);

}  // namespace ncclwhy::bench
