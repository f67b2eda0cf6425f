// TracedEnvironment: what a command gets in its environment so that a failure leaves traces. What is set is left alone.
#pragma once

#include <string>
#include <vector>

namespace ncclwhy {

// The names that are set are those of run/traced_variables.def.
struct TraceSettings {
  std::string logs;           // absolute folder
  bool line_buffered = true;  // where the command would keep back what it printed
};

// `environment` (NAME=value) with what is missing.
std::vector<std::string> TracedEnvironment(std::vector<std::string> environment, const TraceSettings& settings);

}  // namespace ncclwhy
