// Looks at one object of the knowledge, member by member, and complains in words for authors.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// Remembers which members were asked for, so that misspelt ones are found. Complaints are appended to `out`, each with
// `where` in front; the object and `out` must outlive it.
class EntryChecker {
 public:
  EntryChecker(const nlohmann::json& object, std::string where, std::vector<std::string>* out);

  void Complain(const std::string& what) const;

  // Null when it is missing; then there is a complaint if it is required.
  const nlohmann::json* Member(const char* name, bool required);
  void String(const char* name, bool required);
  void Boolean(const char* name);
  // A template for a shell.
  void Command(const char* name);
  // {"en": "…", "zh": "…"}
  void Languages(const char* name, bool required);
  // The same for texts that are no templates.
  void PlainLanguages(const char* name, const nlohmann::json& value) const;
  // Empty when it is missing or no list.
  const nlohmann::json& List(const char* name, bool required);
  void Strings(const char* name, bool required);
  // "{device}", "!{errno_text=*not permitted*}": the names of values that a fix needs.
  void NeededNames(const char* name);
  // {"shm.too-small": 3.5, …}
  void Weights(const char* name, bool required);

  template <size_t N>
  void OneOf(const char* name, const std::array<std::string_view, N>& names) {
    const nlohmann::json* value = Member(name, true);
    if (value == nullptr) return;
    if (!value->is_string() || std::find(names.begin(), names.end(), value->get<std::string>()) == names.end()) {
      Complain(std::string("\"") + name + "\" is " + value->dump() +
               ", which is not one of the values that are allowed");
    }
  }

  // Complains about each member that nobody asked for.
  void NothingElse() const;

 private:
  void TemplateText(const std::string& name, const nlohmann::json& value) const;

  const nlohmann::json& object_;
  std::string where_;
  std::vector<std::string>* out_;
  std::vector<std::string> known_;
};

}  // namespace ncclwhy
