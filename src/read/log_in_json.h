// A log that somebody's API or notebook keeps in a JSON document: whole, in one text, or a part of it in each of
// several.
//
//   {"job": 17, "logs": "node07:4711:4802 [3] NCCL WARN …\nTraceback (most recent call last):\n  File …"}
//   ["node07:4711:4802 [3] NCCL WARN …", "Traceback (most recent call last):"]
//
// Positions are lines of the texts inside, one behind the other.
#pragma once

#include <memory>
#include <string_view>

#include "read/witness.h"

namespace ncclwhy {

// Whether a text of several lines stands in a document that begins like this. A collector's record has one line, with
// its newline at the end: {"log":"text\n","stream":"stderr"}.
bool LooksLikeLogInJson(std::string_view first);
std::unique_ptr<Witness> NewLogInJson(const WitnessContext& context);

}  // namespace ncclwhy
