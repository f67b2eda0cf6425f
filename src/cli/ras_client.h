// What `ncclras -v` would print of a job that runs, asked where NCCL's RAS service listens (port 28028 of each node).
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

// "ras://node1:28028" → "node1:28028"; empty: `log` names something else. The port may be left out, and so may the
// host, which is this one then.
std::string_view RasAddress(std::string_view log);

// The status as text. Nobody there, somebody who is not RAS, and silence are a sentence, after half a minute at most;
// of an answer that breaks off what came is handed back, with its sentence in `problem`.
Result<std::string> AskRas(std::string_view address, std::string* problem);

}  // namespace ncclwhy
