// JSON written by hand: the `fields` of an event are made for every event.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// Appends a JSON string; bytes that are not UTF-8 become \xNN (as text).
void AppendJsonString(std::string_view text, std::string* out);

// Appends a number when `text` is a plain decimal integer, else a string: `fields->>'code' = 12` then compares as
// people expect.
void AppendJsonValue(std::string_view text, std::string* out);

}  // namespace ncclwhy
