// JSON written by hand: the `fields` of an event are made for every event.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ncclwhy {

// Appends a JSON string; bytes that are not UTF-8 become \xNN (as text).
// Without a DOM: no value of the whole object is kept.
void AppendJsonString(std::string_view text, std::string* out);

// Appends a number when `text` is a plain decimal integer, else a string: `fields->>'code' = 12` then compares as
// people expect.
//    "12" 12   "007" "007"   "12.5" "12.5"   "0x1f" "0x1f"
void AppendJsonValue(std::string_view text, std::string* out);

// An object of such values.
// Members in alphabetical order, values as AppendJsonValue writes them.
// {} for none.
std::string JsonObject(const std::map<std::string, std::string>& members);

}  // namespace ncclwhy
