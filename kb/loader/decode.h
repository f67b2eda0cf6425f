// Records of the knowledge base (JSON that kb_check has approved) as the structs of kb.h, in one language.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kb/loader/kb.h"

namespace ncclwhy {

// None of these fails: what is missing or of another type in a record is empty, zero or the first value of its
// enumeration. That never happens behind kb_check. Each parses the record anew; who asks often remembers.
CauseKnowledge DecodeCause(std::string_view record, Language language);
CauseTraits DecodeTraits(std::string_view record);
VariableKnowledge DecodeVariable(std::string_view record, Language language);
// The text about the name, and the name that was probably meant.
std::pair<std::string, std::string> DecodeNeverRead(std::string_view record, Language language);
// "errno/12": codes that are numbers, "0x1f" too, are filed in decimal; others as they stand: "kubernetes/Evicted".
std::string CodeKey(std::string_view table, std::string_view code);
CodeKnowledge DecodeCode(std::string_view table, std::string_view record, Language language);
BugKnowledge DecodeBug(std::string_view record, Language language);
IncidentKnowledge DecodeIncident(std::string_view record, Language language);
WordKnowledge DecodeWord(std::string_view record);
// Without the index and the format, which are its key. `nccl`: a version, or empty; picks the entry of "by_version".
// The first range that holds it counts; of an unknown version only ranges without ends do.
MessageKnowledge DecodeMessage(std::string_view record, std::string_view nccl, Language language);

}  // namespace ncclwhy
