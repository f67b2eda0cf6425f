#include "kb/loader/kb_check.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/version_range.h"
#include "kb/loader/entry_checker.h"
#include "kb/loader/kb.h"
#include "kb/loader/message_index.h"

namespace ncclwhy {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 11> kEnvironments = {
    "any", "docker", "kubernetes", "slurm", "mpi", "bare-metal", "pytorch", "vllm", "ray", "cloud", "code"};
constexpr std::array<std::string_view, 3> kRecurs = {"always", "sometimes", "rarely"};
constexpr std::array<std::string_view, 4> kAbout = {"job", "host", "device", "outside"};

bool IsCauseId(std::string_view id) {
  if (id == "none" || id == "benign") return true;
  const size_t dot = id.find('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < id.size() &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
}

// Sentences of which the first that fits is told; the last fits always.
void CheckFitting(EntryChecker& cause, const char* name, bool required, std::vector<std::string>* complaints) {
  const json* value = cause.Member(name, required);
  if (value == nullptr || !value->is_array()) {
    if (value != nullptr) cause.Languages(name, required);
    return;
  }
  size_t n = 0;
  for (const json& each : *value) {
    const bool last = ++n == value->size();
    EntryChecker one(each, name + (" " + std::to_string(n)), complaints);
    one.Languages("text", true);
    one.Strings("needs", !last);
    one.NeededNames("needs");
    one.NothingElse();
    if (last && one.Member("needs", false) != nullptr) one.Complain("the last sentence must fit always: no \"needs\"");
  }
  if (n == 0) cause.Complain(std::string("\"") + name + "\" is an empty list");
}

// What an answer says of a cause, or of the rule that speaks most for it, which may leave members out (`all` is false).
void Told(EntryChecker& told, bool all, std::vector<std::string>* complaints) {
  told.Languages("mistaken_for", false);
  CheckFitting(told, "summary", all, complaints);
  CheckFitting(told, "unproven", false, complaints);
  for (size_t n = 0; const json& entry_of : told.List("confirm", all)) {
    EntryChecker confirm(entry_of, "confirm " + std::to_string(++n), complaints);
    if (confirm.Member("for", false) != nullptr) confirm.OneOf("for", kEnvironments);
    confirm.Command("command");
    confirm.Languages("text", false);
    confirm.Strings("needs", false);
    confirm.NeededNames("needs");
    confirm.NothingElse();
  }
  for (size_t n = 0; const json& entry_of : told.List("fixes", all)) {
    EntryChecker fix(entry_of, "fix " + std::to_string(++n), complaints);
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
  EntryChecker told(entry, "", complaints);
  Told(told, false, complaints);
  told.NothingElse();
}

void CheckCause(const json& entry, std::vector<std::string>* complaints) {
  EntryChecker cause(entry, "", complaints);
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
    EntryChecker collect(entry_of, "collect " + std::to_string(++n), complaints);
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
  EntryChecker variable(entry, "", complaints);
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
    EntryChecker degrading(*value, "degrading", complaints);
    degrading.String("when", true);
    degrading.Languages("text", true);
    degrading.NothingElse();
  }
  variable.NothingElse();
}

void CheckNeverRead(const json& entry, std::vector<std::string>* complaints) {
  EntryChecker variable(entry, "", complaints);
  variable.String("name", true);
  variable.String("nearest", false);
  variable.Languages("text", true);
  variable.NothingElse();
}

void CheckCode(const json& entry, std::vector<std::string>* complaints) {
  EntryChecker code(entry, "", complaints);
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
  EntryChecker bug(entry, "", complaints);
  for (const char* name : {"id", "product", "affected", "cause"}) bug.String(name, true);
  bug.String("fixed_in", false);
  for (const char* name : {"title", "text"}) bug.Languages(name, true);
  bug.Strings("references", false);
  bug.NothingElse();
}

void CheckMessage(const json& entry, std::vector<std::string>* complaints) {
  EntryChecker message(entry, "", complaints);
  message.OneOf("level", kMessageLevelNames);
  message.String("format", true);
  for (const char* name : {"first", "last", "product"}) message.String(name, false);
  message.Strings("files", true);
  message.OneOf("meaning", kMessageMeanings);
  message.Weights("causes", true);
  message.Languages("note", false);
  for (const json& value : message.List("by_version", false)) {
    EntryChecker range(value, "by_version", complaints);
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

void CheckLine(const std::string& text, size_t longest, const std::string& name, const EntryChecker& owner) {
  if (text.size() > longest) {
    owner.Complain("\"" + name + "\" has more than " + std::to_string(longest) + " bytes");
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (std::any_of(text.begin(), text.end(), control)) owner.Complain("\"" + name + "\" is more than one line");
}

}  // namespace

void CheckIncident(const json& entry, std::vector<std::string>* complaints) {
  EntryChecker incident(entry, "", complaints);
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
  EntryChecker word(entry, "", complaints);
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
