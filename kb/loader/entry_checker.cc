#include "kb/loader/entry_checker.h"

#include <utility>

#include "kb/loader/command_words.h"
#include "kb/loader/template.h"

namespace ncclwhy {

using nlohmann::json;

EntryChecker::EntryChecker(const json& object, std::string where, std::vector<std::string>* out)
    : object_(object), where_(std::move(where)), out_(out) {
  if (!object.is_object()) Complain("must be an object");
}

void EntryChecker::Complain(const std::string& what) const {
  out_->push_back(where_.empty() ? what : where_ + ": " + what);
}

const json* EntryChecker::Member(const char* name, bool required) {
  known_.emplace_back(name);
  if (!object_.is_object()) return nullptr;
  const auto it = object_.find(name);
  if (it == object_.end() || it->is_null()) {
    if (required) Complain(std::string("\"") + name + "\" is missing");
    return nullptr;
  }
  return &*it;
}

void EntryChecker::String(const char* name, bool required) {
  const json* value = Member(name, required);
  if (value != nullptr && !value->is_string()) Complain(std::string("\"") + name + "\" must be a text");
  if (value != nullptr && required && value->is_string() && value->get_ref<const std::string&>().empty()) {
    Complain(std::string("\"") + name + "\" is empty");
  }
}

void EntryChecker::Command(const char* name) {
  String(name, false);
  const json* value = Member(name, false);
  if (value == nullptr || !value->is_string()) return;
  TemplateText(name, *value);
  for (const std::string& what : CheckCommand(value->get_ref<const std::string&>()))
    Complain(std::string("\"") + name + "\": " + what);
}

void EntryChecker::Languages(const char* name, bool required) {
  const json* value = Member(name, required);
  if (value == nullptr) return;
  PlainLanguages(name, *value);
  for (const char* language : {"en", "zh"}) {
    if (value->is_object() && value->contains(language)) {
      TemplateText(std::string(name) + "." + language, value->at(language));
    }
  }
}

void EntryChecker::PlainLanguages(const char* name, const json& value) const {
  if (!value.is_object()) {
    Complain(std::string("\"") + name + "\" must be an object of languages");
    return;
  }
  for (const char* language : {"en", "zh"}) {
    const auto it = value.find(language);
    if (it == value.end() || !it->is_string() || it->get_ref<const std::string&>().empty()) {
      Complain(std::string("\"") + name + "\" has no \"" + language + "\"");
    }
  }
  for (const auto& [key, text] : value.items()) {
    if (key != "en" && key != "zh") Complain(std::string("\"") + name + "\" has an unknown language \"" + key + "\"");
  }
}

void EntryChecker::Boolean(const char* name) {
  const json* value = Member(name, false);
  if (value != nullptr && !value->is_boolean()) Complain(std::string("\"") + name + "\" must be true or false");
}

const json& EntryChecker::List(const char* name, bool required) {
  static const json kEmpty = json::array();
  const json* value = Member(name, required);
  if (value != nullptr && value->is_array()) return *value;
  if (value != nullptr) Complain(std::string("\"") + name + "\" must be a list");
  return kEmpty;
}

void EntryChecker::Strings(const char* name, bool required) {
  for (const json& text : List(name, required)) {
    if (!text.is_string()) Complain(std::string("\"") + name + "\" must be a list of texts");
  }
}

void EntryChecker::NeededNames(const char* name) {
  for (const json& need : List(name, false)) {
    if (!need.is_string()) continue;
    const std::string& text = need.get_ref<const std::string&>();
    const size_t begin = text.find('{');
    if (begin == std::string::npos) continue;
    TemplateText(name, text.substr(begin, text.find_first_of("=}", begin) - begin) + "}");
  }
}

void EntryChecker::Weights(const char* name, bool required) {
  const json* value = Member(name, required);
  if (value == nullptr) return;
  const bool good = value->is_object() &&
                    std::all_of(value->begin(), value->end(), [](const json& weight) { return weight.is_number(); });
  if (!good) Complain(std::string("\"") + name + "\" must be an object of cause ids and log-odds");
}

void EntryChecker::NothingElse() const {
  if (!object_.is_object()) return;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) Complain("unknown member \"" + key + "\"");
  }
}

void EntryChecker::TemplateText(const std::string& name, const json& value) const {
  if (!value.is_string()) return;
  for (const std::string& what : CheckTemplate(value.get_ref<const std::string&>()))
    Complain("\"" + name + "\": " + what);
}

}  // namespace ncclwhy
