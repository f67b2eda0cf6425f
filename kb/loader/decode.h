// Records of the knowledge base (JSON that kb_check has approved) as the structs of kb.h, in one language.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kb/loader/kb.h"

namespace ncclwhy {

CauseKnowledge DecodeCause(std::string_view record, Language language);
VariableKnowledge DecodeVariable(std::string_view record, Language language);
// The text about the name, and the name that was probably meant.
std::pair<std::string, std::string> DecodeNeverRead(std::string_view record, Language language);
// "errno/12": codes that are numbers, "0x1f" too, are filed in decimal.
std::string CodeKey(std::string_view table, std::string_view code);
CodeKnowledge DecodeCode(std::string_view table, std::string_view record, Language language);
BugKnowledge DecodeBug(std::string_view record, Language language);
// Without the index. `nccl`: a version, or empty; picks the entry of "by_version".
MessageKnowledge DecodeMessage(std::string_view record, std::string_view nccl, Language language);

// "2.24.3..", "..2.20.5", "2.18.1..2.19.4" or "2.22.3". An unknown version is in no range.
bool VersionInRange(std::string_view range, std::string_view version);

}  // namespace ncclwhy
