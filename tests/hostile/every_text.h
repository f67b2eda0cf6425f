// Every text of a report that may come from a log, the name of a file, or knowledge and rules of a user. Words that the
// program itself writes to tell kinds apart (roles, stages, kinds of steps, names of environments) are none.
#pragma once

#include <functional>
#include <string>

#include "ncclwhy/report.h"

namespace ncclwhy::hostile {

void ForEachText(Report* report, const std::function<void(std::string*)>& call);

}  // namespace ncclwhy::hostile
