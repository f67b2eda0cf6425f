// The witness of a document: a pickle or JSON that is read as a whole.
#pragma once

#include <memory>
#include <string_view>

#include "read/document.h"
#include "read/witness.h"

namespace ncclwhy {

// Protocols 2 to 5, which begin with \x80 and their number. Protocol 0 is text, and read as that.
bool BeginsPickle(std::string_view first);
bool BeginsObject(std::string_view first);  // of JSON

// `read` makes facts of the document, and says no when it is of another kind. JSON of another kind, or longer than
// limits::kDocumentBytes, is read as text; such a pickle, or one that holds more than plain containers, is counted as
// refused.
// Bytes are held until Finish, at most kDocumentBytes of them. `read` must leave `facts` as they are where it says no.
std::unique_ptr<Witness> NewDocumentWitness(const WitnessContext& context,
                                            bool (*read)(const Document& document, SourceFacts* facts));

}  // namespace ncclwhy
