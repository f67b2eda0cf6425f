// Where a suggested command has to run: `nvidia-smi -L` on the host that is blamed, `scontrol update` anywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// "gpu-a17", or "gpu-a17,gpu-a18" of up to three that are blamed, when `command` starts a program that looks at the
// machine it runs on (table "host_program" of kb/codes.json), or reads /proc. Empty when it does not, names a host
// itself, nobody is blamed, or there are more.
std::string HostToRunOn(const KnowledgeBase& kb, std::string_view command, const std::vector<Culprit>& culprits);

}  // namespace ncclwhy
