// The last value of each enumeration of facts, for whoever reads them from bytes (base/field_coding.h): a value behind
// it is one of a damaged file, or of a newer program. Those of the two .def files are counted; who adds one behind the
// last of another enumeration names it here.
#pragma once

#include "base/field_coding.h"
#include "parser/event.h"

namespace ncclwhy {

template <>
inline constexpr uint64_t kLast<LauncherLabel> = static_cast<uint64_t>(LauncherLabel::kMpirun);
template <>
inline constexpr uint64_t kLast<LogLevel> = static_cast<uint64_t>(LogLevel::kDiag);
template <>
inline constexpr uint64_t kLast<Dialect> = static_cast<uint64_t>(Dialect::kUnknown);
#define X(...) +1  // NOLINT(bugprone-macro-parentheses): a term of a sum
template <>
inline constexpr uint64_t kLast<EventKind> = 0
#include "parser/event_kinds.def"
                                             - 1;
template <>
inline constexpr uint64_t kLast<FieldId> = 0
#include "parser/field_ids.def"
                                           - 1;
#undef X

}  // namespace ncclwhy
