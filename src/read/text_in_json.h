// The witness of a JSON document that holds lines of text: they are read as a log of their own.
#pragma once

#include <memory>
#include <string>

#include "read/witness.h"

namespace ncclwhy {

// `text_of` makes lines of the whole document, or "" when it is of another kind: then, and when it is longer than
// `most` bytes, it is read as it stands. Positions are lines of the text inside.
std::unique_ptr<Witness> NewTextInJson(const WitnessContext& context, std::string (*text_of)(const std::string& bytes),
                                       size_t most);

}  // namespace ncclwhy
