// The program's own line behind a failure: of its traceback, or of the stacks that it dumps when it dies.
//   RuntimeError: loss is nan                            →  train.py:212
//   *** SIGSEGV received … / Stack (most recent call first): File ".../vision_utils.py", line 44 in process_image
#pragma once

#include <string>

#include "analyze/case_file.h"

namespace ncclwhy {

// "train.py:212"; empty when the finding has none.
std::string OwnFrame(const CaseFile& c, const Finding& f);

}  // namespace ncclwhy
