// The same message for every number? FindMessage asked about all texts of a shape (parser/skeleton.h) at once.
#pragma once

#include <string_view>

#include "kb/loader/message_index.h"
#include "parser/event.h"

namespace ncclwhy {

// The message that FindMessage finds for every text of this shape at `level`, -1 where it finds none for any;
// kMessageDepends where the numbers decide, or it is not known. Asks all formats one by one: as dear as some dozens of
// lines, and asked once for a shape.
inline constexpr int kMessageDepends = -2;
int FindMessageOfShape(const MessageTables& tables, LogLevel level, std::string_view shape);

// How many literal bytes of the program every text of the shape matches, as MatchFormat; kNoneMatches or kSomeMatch.
inline constexpr int kNoneMatches = -1;
inline constexpr int kSomeMatch = -2;  // depends on the numbers, or may
int MatchFormatOfShape(std::string_view code, std::string_view shape);

}  // namespace ncclwhy
