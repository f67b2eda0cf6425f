// Options: the command line of ncclwhy_gen.
#pragma once

#include <span>
#include <string>

#include "gen/spec.h"
#include "ncclwhy/status.h"

namespace ncclwhy::bench {

std::string Usage();
// `args` without the program's name. Checks that the parts fit together.
Result<Spec> ParseOptions(std::span<char*> args);

}  // namespace ncclwhy::bench
