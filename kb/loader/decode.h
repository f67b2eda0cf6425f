// Records of the knowledge base (JSON that kb_check has approved) as the structs of kb.h, in one language.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kb/loader/kb.h"

namespace ncclwhy {

CauseKnowledge DecodeCause(std::string_view record, Language language);
CauseTraits DecodeTraits(std::string_view record);
VariableKnowledge DecodeVariable(std::string_view record, Language language);
// The text about the name, and the name that was probably meant.
std::pair<std::string, std::string> DecodeNeverRead(std::string_view record, Language language);
// "errno/12": codes that are numbers, "0x1f" too, are filed in decimal.
std::string CodeKey(std::string_view table, std::string_view code);
CodeKnowledge DecodeCode(std::string_view table, std::string_view record, Language language);
BugKnowledge DecodeBug(std::string_view record, Language language);
IncidentKnowledge DecodeIncident(std::string_view record, Language language);
// Without the index. `nccl`: a version, or empty; picks the entry of "by_version".
MessageKnowledge DecodeMessage(std::string_view record, std::string_view nccl, Language language);

}  // namespace ncclwhy
