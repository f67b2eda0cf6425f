// What the documents in JSON have in common.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/utf8.h"

namespace ncclwhy {

// A member with this text, which comes from a log; none for an empty one.
inline void AddText(OrderedJsonValue* object, const char* key, std::string_view text) {
  if (!text.empty()) (*object)[key] = SanitizeUtf8(text);
}

}  // namespace ncclwhy
