// The witness of a document: a pickle or JSON that is read as a whole.
#pragma once

#include <memory>
#include <string_view>

#include "read/document.h"
#include "read/witness.h"

namespace ncclwhy {

bool BeginsPickle(std::string_view first);
bool BeginsObject(std::string_view first);  // of JSON

// `read` makes facts of the document, and says no when it is of another kind. JSON of another kind, or longer than
// limits::kDocumentBytes, is read as text; such a pickle, or one that holds more than plain containers, is counted as
// refused.
std::unique_ptr<Witness> NewDocumentWitness(const WitnessContext& context,
                                            bool (*read)(const Document& document, SourceFacts* facts));

}  // namespace ncclwhy
