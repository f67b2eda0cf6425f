// Language: in which language reports and explanations are written.
#pragma once

#include <cstdint>

namespace ncclwhy {

enum class Language : uint8_t { kEnglish, kChinese };

}  // namespace ncclwhy
