// Lines that list values under names: rows of a table, fields of a record. What is in them are names and states, no
// sentence of anybody.
//   3             killed.sh       main       root          1     FAILED      0:9
//   JobId=3 JobName=killed.sh
#pragma once

#include <string_view>

namespace ncclwhy {

// Whether a line is a row (four cells or more, set apart by two blanks or by bars, none a sentence) or lists fields
// (nothing but name=value).
bool IsRecord(std::string_view text);

}  // namespace ncclwhy
