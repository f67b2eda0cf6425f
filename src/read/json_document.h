// Reads JSON into a Document, however deep, and as far as it is whole. Commas that are missing between values are put
// in: ncclras of NCCL 2.28.9 forgets one.
#pragma once

#include <string_view>

#include "read/document.h"
#include "read/pickle.h"

namespace ncclwhy {

// kRefused: more values than a document may have. Texts are copied, so `bytes` may go. Numbers beyond 64 bits are
// reals.
DocumentEnd ReadJson(std::string_view bytes, Document* document);

}  // namespace ncclwhy
