// How the patterns of rules are compiled: one place, so that lint and matching agree.
#pragma once

#include "base/limits.h"
#include "base/re2_text.h"

namespace ncclwhy {

// Bytes, not runes: a log may hold any encoding, and `.` must match all of it. Never prints, never throws.
// A pattern beyond kPatternMemory is refused when it is compiled.
inline RE2::Options RulePatternOptions() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_max_mem(limits::kPatternMemory);
  options.set_log_errors(false);
  return options;
}

}  // namespace ncclwhy
