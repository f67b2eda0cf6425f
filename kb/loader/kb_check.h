// Checks of single entries of the knowledge files. Each adds one sentence a complaint; an entry without complaints can
// be decoded without further looks. The same rules as kb.schema.json, plus those on templates that it cannot say.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// `complaints` grows; a complaint names the member, not the file: "\"title\" has no \"zh\"".
void CheckCause(const nlohmann::json& entry, std::vector<std::string>* complaints);
// What a rule tells in the place of its cause: `summary`, `unproven`, `mistaken_for`, `fixes` and `confirm` of one.
void CheckTold(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckVariable(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckNeverRead(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckCode(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckBug(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckMessage(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckIncident(const nlohmann::json& entry, std::vector<std::string>* complaints);
void CheckWord(const nlohmann::json& entry, std::vector<std::string>* complaints);

}  // namespace ncclwhy
