// What looks like the name of a host or pod, and not like that of a rank, a step or a job.
#pragma once

#include <string_view>

namespace ncclwhy {

// Letters and digits, and no number of something else: node17, gpu-c12, nid005470, ip-10-0-1-2; not rank3, attempt-2.
bool LooksLikeHost(std::string_view word);

}  // namespace ncclwhy
