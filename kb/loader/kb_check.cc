#include "kb/loader/kb_check.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/version_range.h"
#include "kb/loader/command_words.h"
#include "kb/loader/kb.h"
#include "kb/loader/message_index.h"
#include "kb/loader/template.h"

namespace ncclwhy {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 11> kEnvironments = {
    "any", "docker", "kubernetes", "slurm", "mpi", "bare-metal", "pytorch", "vllm", "ray", "cloud", "code"};
constexpr std::array<std::string_view, 3> kRecurs = {"always", "sometimes", "rarely"};
constexpr std::array<std::string_view, 4> kAbout = {"job", "host", "device", "outside"};
// Looks at one object; remembers which members were asked for, so that misspelt ones are found.
class Checker {
 public:
  Checker(const json& object, std::string where, std::vector<std::string>* out)
      : object_(object), where_(std::move(where)), out_(out) {
    if (!object.is_object()) Complain("must be an object");
  }

  void Complain(const std::string& what) const { out_->push_back(where_.empty() ? what : where_ + ": " + what); }

  // Null when it is missing; then there is a complaint if it is required.
  const json* Member(const char* name, bool required) {
    known_.emplace_back(name);
    if (!object_.is_object()) return nullptr;
    const auto it = object_.find(name);
    if (it == object_.end() || it->is_null()) {
      if (required) Complain(std::string("\"") + name + "\" is missing");
      return nullptr;
    }
    return &*it;
  }

  void String(const char* name, bool required) {
    const json* value = Member(name, required);
    if (value != nullptr && !value->is_string()) Complain(std::string("\"") + name + "\" must be a text");
    if (value != nullptr && required && value->is_string() && value->get_ref<const std::string&>().empty()) {
      Complain(std::string("\"") + name + "\" is empty");
    }
  }

  // A template for a shell.
  void Command(const char* name) {
    String(name, false);
    const json* value = Member(name, false);
    if (value == nullptr || !value->is_string()) return;
    TemplateText(name, *value);
    for (const std::string& what : CheckCommand(value->get_ref<const std::string&>()))
      Complain(std::string("\"") + name + "\": " + what);
  }

  // {"en": "…", "zh": "…"}
  void Languages(const char* name, bool required) {
    const json* value = Member(name, required);
    if (value == nullptr) return;
    PlainLanguages(name, *value);
    for (const char* language : {"en", "zh"}) {
      if (value->is_object() && value->contains(language)) {
        TemplateText(std::string(name) + "." + language, value->at(language));
      }
    }
  }

  // The same for texts that are no templates.
  void PlainLanguages(const char* name, const json& value) const {
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

  void Boolean(const char* name) {
    const json* value = Member(name, false);
    if (value != nullptr && !value->is_boolean()) Complain(std::string("\"") + name + "\" must be true or false");
  }

  const json& List(const char* name, bool required) {
    static const json kEmpty = json::array();
    const json* value = Member(name, required);
    if (value != nullptr && value->is_array()) return *value;
    if (value != nullptr) Complain(std::string("\"") + name + "\" must be a list");
    return kEmpty;
  }

  void Strings(const char* name, bool required) {
    for (const json& text : List(name, required)) {
      if (!text.is_string()) Complain(std::string("\"") + name + "\" must be a list of texts");
    }
  }

  // "{device}", "!{errno_text=*not permitted*}": the names of values that a fix needs.
  void NeededNames(const char* name) {
    for (const json& need : List(name, false)) {
      if (!need.is_string()) continue;
      const std::string& text = need.get_ref<const std::string&>();
      const size_t begin = text.find('{');
      if (begin == std::string::npos) continue;
      TemplateText(name, text.substr(begin, text.find_first_of("=}", begin) - begin) + "}");
    }
  }

  template <size_t N>
  void OneOf(const char* name, const std::array<std::string_view, N>& names) {
    const json* value = Member(name, true);
    if (value == nullptr) return;
    if (!value->is_string() || std::find(names.begin(), names.end(), value->get<std::string>()) == names.end()) {
      Complain(std::string("\"") + name + "\" is " + value->dump() +
               ", which is not one of the values that are allowed");
    }
  }

  // {"shm.too-small": 3.5, …}
  void Weights(const char* name, bool required) {
    const json* value = Member(name, required);
    if (value == nullptr) return;
    const bool good = value->is_object() &&
                      std::all_of(value->begin(), value->end(), [](const json& weight) { return weight.is_number(); });
    if (!good) Complain(std::string("\"") + name + "\" must be an object of cause ids and log-odds");
  }

  void NothingElse() const {
    if (!object_.is_object()) return;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) Complain("unknown member \"" + key + "\"");
    }
  }

 private:
  void TemplateText(const std::string& name, const json& value) const {
    if (!value.is_string()) return;
    for (const std::string& what : CheckTemplate(value.get_ref<const std::string&>()))
      Complain("\"" + name + "\": " + what);
  }

  const json& object_;
  std::string where_;
  std::vector<std::string>* out_;
  std::vector<std::string> known_;
};

bool IsCauseId(std::string_view id) {
  if (id == "none" || id == "benign") return true;
  const size_t dot = id.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < id.size() &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
}

// Sentences of which the first that fits is told; the last fits always.
void CheckFitting(Checker& cause, const char* name, bool required, std::vector<std::string>* complaints) {
  const json* value = cause.Member(name, required);
  if (value == nullptr || !value->is_array()) {
    if (value != nullptr) cause.Languages(name, required);
    return;
  }
  size_t n = 0;
  for (const json& each : *value) {
    const bool last = ++n == value->size();
    Checker one(each, name + (" " + std::to_string(n)), complaints);
    one.Languages("text", true);
    one.Strings("needs", !last);
    one.NeededNames("needs");
    one.NothingElse();
    if (last && one.Member("needs", false) != nullptr) one.Complain("the last sentence must fit always: no \"needs\"");
  }
  if (n == 0) cause.Complain(std::string("\"") + name + "\" is an empty list");
}

// What an answer says of a cause, or of the rule that speaks most for it, which may leave members out (`all` is false).
void Told(Checker& told, bool all, std::vector<std::string>* complaints) {
  told.Languages("mistaken_for", false);
  CheckFitting(told, "summary", all, complaints);
  CheckFitting(told, "unproven", false, complaints);
  for (size_t n = 0; const json& entry_of : told.List("confirm", all)) {
    Checker confirm(entry_of, "confirm " + std::to_string(++n), complaints);
    if (confirm.Member("for", false) != nullptr) confirm.OneOf("for", kEnvironments);
    confirm.Command("command");
    confirm.Languages("text", false);
    confirm.Strings("needs", false);
    confirm.NeededNames("needs");
    confirm.NothingElse();
  }
  for (size_t n = 0; const json& entry_of : told.List("fixes", all)) {
    Checker fix(entry_of, "fix " + std::to_string(++n), complaints);
    fix.OneOf("for", kEnvironments);
    fix.Languages("text", true);
    fix.Command("command");
    fix.Languages("cost", false);
    fix.Strings("needs", false);
    fix.NeededNames("needs");
    fix.NothingElse();
  }
}

}  // namespace

void CheckTold(const json& entry, std::vector<std::string>* complaints) {
  Checker told(entry, "", complaints);
  Told(told, false, complaints);
  told.NothingElse();
}

void CheckCause(const json& entry, std::vector<std::string>* complaints) {
  Checker cause(entry, "", complaints);
  cause.String("id", true);
  if (const json* id = cause.Member("id", false);
      id != nullptr && id->is_string() && !IsCauseId(id->get<std::string>())) {
    cause.Complain("\"id\" must look like family.name");
  }
  for (const char* name : {"title", "meaning"}) cause.Languages(name, true);
  Told(cause, true, complaints);
  if (cause.Member("recurs", false) != nullptr) cause.OneOf("recurs", kRecurs);
  if (cause.Member("about", false) != nullptr) cause.OneOf("about", kAbout);
  if (cause.Member("kind", false) != nullptr) cause.OneOf("kind", kCauseKinds);
  for (const char* name :
       {"waits", "one_rank", "both_ends", "gone", "reasonless", "by_rule", "before_work", "takes_machine"})
    cause.Boolean(name);
  for (size_t n = 0; const json& entry_of : cause.List("collect", false)) {
    Checker collect(entry_of, "collect " + std::to_string(++n), complaints);
    collect.Languages("what", true);
    collect.Command("command");
    collect.NothingElse();
  }
  for (const json& url : cause.List("references", false)) {
    if (!url.is_string() || url.get<std::string>().rfind("http", 0) != 0) cause.Complain("\"references\" must be URLs");
  }
  cause.NothingElse();
}

void CheckVariable(const json& entry, std::vector<std::string>* complaints) {
  Checker variable(entry, "", complaints);
  variable.String("name", true);
  for (const char* name : {"first", "last", "type", "valid", "replaced_by", "read_by", "example"}) {
    variable.String(name, false);
  }
  variable.Languages("mistake", false);
  variable.Member("default", false);
  variable.Member("values", false);
  variable.Languages("effect", true);
  for (const char* name : {"must_agree", "numeric", "logs_only", "documented"}) variable.Boolean(name);
  if (const json* value = variable.Member("degrading", false); value != nullptr) {
    Checker degrading(*value, "degrading", complaints);
    degrading.String("when", true);
    degrading.Languages("text", true);
    degrading.NothingElse();
  }
  variable.NothingElse();
}

void CheckNeverRead(const json& entry, std::vector<std::string>* complaints) {
  Checker variable(entry, "", complaints);
  variable.String("name", true);
  variable.String("nearest", false);
  variable.Languages("text", true);
  variable.NothingElse();
}

void CheckCode(const json& entry, std::vector<std::string>* complaints) {
  Checker code(entry, "", complaints);
  if (const json* value = code.Member("code", true);
      value != nullptr && !value->is_number_integer() && !value->is_string()) {
    code.Complain("\"code\" must be an integer or a text");
  }
  code.String("name", false);
  code.String("text", false);
  if (const json* meaning = code.Member("meaning", true); meaning != nullptr && !meaning->is_string()) {
    code.Languages("meaning", true);
  }
  code.Strings("causes", false);
  // Tables have members of their own (an Xid's action, a signal's exit status): plain values.
  for (auto it = entry.begin(); entry.is_object() && it != entry.end(); ++it) {
    const bool ours = it.key() == "meaning" || it.key() == "causes";
    if (!ours && !it->is_primitive()) code.Complain("\"" + it.key() + "\" must be a plain value");
  }
}

void CheckBug(const json& entry, std::vector<std::string>* complaints) {
  Checker bug(entry, "", complaints);
  for (const char* name : {"id", "product", "affected", "cause"}) bug.String(name, true);
  bug.String("fixed_in", false);
  for (const char* name : {"title", "text"}) bug.Languages(name, true);
  bug.Strings("references", false);
  bug.NothingElse();
}

void CheckMessage(const json& entry, std::vector<std::string>* complaints) {
  Checker message(entry, "", complaints);
  message.OneOf("level", kMessageLevelNames);
  message.String("format", true);
  for (const char* name : {"first", "last", "product"}) message.String(name, false);
  message.Strings("files", true);
  message.OneOf("meaning", kMessageMeanings);
  message.Weights("causes", true);
  message.Languages("note", false);
  for (const json& value : message.List("by_version", false)) {
    Checker range(value, "by_version", complaints);
    range.String("nccl", true);
    const auto nccl = value.is_object() ? value.find("nccl") : value.end();
    if (nccl != value.end() && nccl->is_string() && !ParseVersionRange(nccl->get<std::string>())) {
      complaints->push_back("by_version: \"" + nccl->get<std::string>() + "\" is no range of versions");
    }
    range.OneOf("meaning", kMessageMeanings);
    range.Weights("causes", true);
    range.Languages("note", false);
    range.NothingElse();
  }
  message.NothingElse();
}

namespace {

// What a person reads of an incident in one look, and what a search compares of a line.
constexpr size_t kLongestSentence = 400;
constexpr size_t kLongestLine = 200;
constexpr size_t kMostLines = 4;

void CheckLine(const std::string& text, size_t longest, const std::string& name, const Checker& owner) {
  if (text.size() > longest) {
    owner.Complain("\"" + name + "\" has more than " + std::to_string(longest) + " bytes");
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (std::any_of(text.begin(), text.end(), control)) owner.Complain("\"" + name + "\" is more than one line");
}

}  // namespace

void CheckIncident(const json& entry, std::vector<std::string>* complaints) {
  Checker incident(entry, "", complaints);
  for (const char* name : {"id", "url", "cause"}) incident.String(name, true);
  if (const json* url = incident.Member("url", false); url != nullptr && url->is_string()) {
    const auto& text = url->get_ref<const std::string&>();
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (!text.starts_with("https://") || !plain) incident.Complain("\"url\" must begin with https://, in plain ASCII");
  }
  if (const json* products = incident.Member("products", false); products != nullptr) {
    const auto is_text = [](const json& version) { return version.is_string(); };
    if (!products->is_object() || !std::all_of(products->begin(), products->end(), is_text)) {
      incident.Complain("\"products\" must be an object of versions");
    }
  }
  const json& lines = incident.List("looked_like", true);
  if (lines.empty() || lines.size() > kMostLines) {
    incident.Complain("\"looked_like\" must be one to " + std::to_string(kMostLines) + " lines");
  }
  for (const json& line : lines) {
    if (!line.is_string() || line.get_ref<const std::string&>().empty()) {
      incident.Complain("\"looked_like\" must be a list of texts");
    } else {
      CheckLine(line, kLongestLine, "looked_like", incident);
    }
  }
  for (const char* name : {"title", "solved"}) {
    const json* value = incident.Member(name, true);
    if (value == nullptr) continue;
    incident.PlainLanguages(name, *value);
    for (const char* language : {"en", "zh"}) {
      if (value->is_object() && value->contains(language) && value->at(language).is_string()) {
        CheckLine(value->at(language), kLongestSentence, std::string(name) + "." + language, incident);
      }
    }
  }
  if (const json* open = incident.Member("open", false); open != nullptr && !open->is_boolean()) {
    incident.Complain("\"open\" must be true or false");
  }
  incident.NothingElse();
}

void CheckWord(const json& entry, std::vector<std::string>* complaints) {
  Checker word(entry, "", complaints);
  // The empty one has what is thought before any word was read.
  if (const json* text = word.Member("word", true); text != nullptr && !text->is_string()) {
    word.Complain("\"word\" must be a text");
  }
  if (const json* rarity = word.Member("rarity", true); rarity != nullptr && !rarity->is_number()) {
    word.Complain("\"rarity\" must be a number");
  }
  word.Weights("causes", true);
  word.NothingElse();
}

}  // namespace ncclwhy
