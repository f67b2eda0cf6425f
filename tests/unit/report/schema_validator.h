// Enough of JSON Schema draft-07 for report.schema.json. A keyword that is not understood is an error, so that the
// schema cannot outgrow this file unnoticed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ncclwhy::testing {

// Complaints, each with a JSON pointer; empty when `value` is valid.
std::vector<std::string> Validate(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace ncclwhy::testing
