#include "schema_validator.h"

#include <regex>
#include <set>

namespace ncclwhy::testing {
namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  void Check(const json& schema, const json& value, const std::string& at) {
    for (const auto& [keyword, operand] : schema.items()) Keyword(keyword, operand, schema, value, at);
  }
  std::vector<std::string> Take() { return std::move(complaints_); }

 private:
  void Complain(const std::string& at, const std::string& what) { complaints_.push_back(at + ": " + what); }

  static bool HasType(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  void Keyword(const std::string& keyword, const json& operand, const json& schema, const json& value,
               const std::string& at) {
    static const std::set<std::string> kAnnotations = {"$schema", "title", "description", "definitions"};
    if (kAnnotations.count(keyword) > 0) return;
    if (keyword == "$ref") {
      Check(root_.at(json::json_pointer(operand.get<std::string>().substr(1))), value, at);
    } else if (keyword == "type") {
      if (!HasType(value, operand)) Complain(at, "is no " + operand.get<std::string>());
    } else if (keyword == "const") {
      if (value != operand) Complain(at, "is not " + operand.dump());
    } else if (keyword == "enum") {
      if (std::find(operand.begin(), operand.end(), value) == operand.end())
        Complain(at, value.dump() + " is not listed");
    } else if (keyword == "pattern") {
      if (value.is_string() && !std::regex_search(value.get<std::string>(), std::regex(operand.get<std::string>()))) {
        Complain(at, value.dump() + " does not match " + operand.dump());
      }
    } else if (keyword == "minimum" || keyword == "maximum") {
      const bool low = keyword == "minimum";
      if (value.is_number() && (low ? value < operand : value > operand))
        Complain(at, value.dump() + " is out of range");
    } else if (keyword == "required") {
      for (const json& name : operand) {
        if (value.is_object() && !value.contains(name.get<std::string>())) Complain(at, name.dump() + " is missing");
      }
    } else if (keyword == "properties") {
      for (const auto& [name, property] : operand.items()) {
        if (value.is_object() && value.contains(name)) Check(property, value.at(name), at + "/" + name);
      }
    } else if (keyword == "additionalProperties") {
      for (const auto& [name, member] : value.items()) {
        if (!schema.contains("properties") || !schema.at("properties").contains(name)) {
          Check(operand, member, at + "/" + name);
        }
      }
    } else if (keyword == "items") {
      for (size_t i = 0; value.is_array() && i < value.size(); ++i)
        Check(operand, value[i], at + "/" + std::to_string(i));
    } else {
      Complain(at, "the schema uses " + keyword + ", which this validator does not know");
    }
  }

  const json& root_;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> Validate(const json& schema, const json& value) {
  Validator validator(schema);
  validator.Check(schema, value, "");
  return validator.Take();
}

}  // namespace ncclwhy::testing
