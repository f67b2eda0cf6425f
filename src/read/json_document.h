// Reads JSON into a Document, however deep, and as far as it is whole.
#pragma once

#include <string_view>

#include "read/document.h"
#include "read/pickle.h"

namespace ncclwhy {

DocumentEnd ReadJson(std::string_view bytes, Document* document);

}  // namespace ncclwhy
