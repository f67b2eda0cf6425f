#include "kb/loader/decode.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/json.h"
#include "base/numbers.h"
#include "base/version_range.h"

namespace ncclwhy {
namespace {

// An empty object where the text is none: nothing here fails.
JsonValue Parse(std::string_view record) {
  JsonValue value = JsonValue::parse(record, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? JsonValue::object() : value;
}

// Null for what is missing and for JSON's null alike.
// JSON's null is what some editors leave of a member.
const JsonValue* Member(const JsonValue& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

// A text, a number, a truth value, a list of these, or an object of languages.
std::string TextOf(const JsonValue* value, Language language) {
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  if (value->is_object()) {
    const JsonValue* text = Member(*value, language == Language::kChinese ? "zh" : "en");
    // Where a text has no Chinese the English one is better than none.
    return TextOf(text != nullptr ? text : Member(*value, "en"), language);
  }
  if (value->is_array()) {
    std::string out;
    for (const JsonValue& part : *value) out += (out.empty() ? "" : ", ") + TextOf(&part, language);
    return out;
  }
  // Numbers as they stand in the file: 0.5 stays 0.5.
  return value->dump();
}
std::string TextOf(const JsonValue& object, const char* name, Language language = Language::kEnglish) {
  return TextOf(Member(object, name), language);
}

// False unless it is there and true.
bool FlagOf(const JsonValue& object, const char* name) {
  const JsonValue* value = Member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

// Visits nothing where there is no list of that name.
template <typename Visitor>
void ForEach(const JsonValue& object, const char* name, Visitor visit) {
  const JsonValue* list = Member(object, name);
  if (list == nullptr || !list->is_array()) return;
  for (const JsonValue& entry : *list) visit(entry);
}

std::vector<std::string> StringsOf(const JsonValue& object, const char* name) {
  std::vector<std::string> out;
  ForEach(object, name, [&](const JsonValue& text) { out.push_back(TextOf(&text, Language::kEnglish)); });
  return out;
}

// The value whose name a member is; `names` are in the order of the values.
template <typename T, size_t N>
T WordOf(const JsonValue& object, const char* member, const std::array<std::string_view, N>& names, T otherwise) {
  const auto it = std::find(names.begin(), names.end(), TextOf(object, member));
  return it == names.end() ? otherwise : static_cast<T>(it - names.begin());
}

std::vector<std::pair<std::string, double>> WeightsOf(const JsonValue& object) {
  std::vector<std::pair<std::string, double>> out;
  const JsonValue* causes = Member(object, "causes");
  if (causes == nullptr || !causes->is_object()) return out;
  for (const auto& [id, weight] : causes->items()) {
    if (weight.is_number()) out.emplace_back(id, weight.get<double>());
  }
  return out;
}

// The part of an entry that a range of versions can say anew. A range without a note keeps the entry's.
void ReadJudgement(const JsonValue& object, Language language, MessageKnowledge* out) {
  out->meaning = WordOf(object, "meaning", kMessageMeanings, MessageMeaning::kContext);
  out->causes = WeightsOf(object);
  if (Member(object, "note") != nullptr) out->note = TextOf(object, "note", language);
}

// {"en": …, "zh": …}, or a list of {"needs": […], "text": {"en": …, "zh": …}}.
std::vector<FittingText> FittingTexts(const JsonValue& object, const char* name, Language language) {
  std::vector<FittingText> out;
  const JsonValue* value = Member(object, name);
  if (value == nullptr) return out;
  if (!value->is_array()) return {{{}, TextOf(value, language)}};
  for (const JsonValue& each : *value) out.push_back({StringsOf(each, "needs"), TextOf(each, "text", language)});
  return out;
}

}  // namespace

// {"id": "shm.too-small", "title": {"en": …, "zh": …}, "fixes": [{"for": "docker", "text": …, "command": …}], …}
CauseKnowledge DecodeCause(std::string_view record, Language language) {
  const JsonValue entry = Parse(record);
  CauseKnowledge out;
  out.id = TextOf(entry, "id");
  out.title = TextOf(entry, "title", language);
  out.meaning = TextOf(entry, "meaning", language);
  out.summary = FittingTexts(entry, "summary", language);
  out.mistaken_for = TextOf(entry, "mistaken_for", language);
  out.unproven = FittingTexts(entry, "unproven", language);
  out.recurs = TextOf(entry, "recurs");
  out.about = TextOf(entry, "about");
  ForEach(entry, "fixes", [&](const JsonValue& fix) {
    // Field by field: where an initializer of a base ends in an exception, GCC 12 destroys its members twice.
    FixKnowledge& known = out.fixes.emplace_back();
    known.environment = TextOf(fix, "for");
    known.text = TextOf(fix, "text", language);
    known.command = TextOf(fix, "command");
    known.cost = TextOf(fix, "cost", language);
    known.needs = StringsOf(fix, "needs");
  });
  ForEach(entry, "confirm", [&](const JsonValue& confirm) {
    ConfirmKnowledge& known = out.confirm.emplace_back();
    // A step without a place is for all of them.
    known.command = TextOf(confirm, "command");
    known.text = TextOf(confirm, "text", language);
    known.environment = TextOf(confirm, "for");
    if (known.environment.empty()) known.environment = "any";
    known.needs = StringsOf(confirm, "needs");
  });
  ForEach(entry, "collect", [&](const JsonValue& collect) {
    out.collect.push_back({TextOf(collect, "what", language), TextOf(collect, "command")});
  });
  out.references = StringsOf(entry, "references");
  return out;
}

// Made when the knowledge is embedded, and for --kb; never while a log is read.
CauseTraits DecodeTraits(std::string_view record) {
  const JsonValue entry = Parse(record);
  return {WordOf(entry, "kind", kCauseKinds, CauseKind::kFault),
          FlagOf(entry, "waits"),
          FlagOf(entry, "one_rank"),
          FlagOf(entry, "both_ends"),
          FlagOf(entry, "gone"),
          FlagOf(entry, "reasonless"),
          FlagOf(entry, "by_rule"),
          FlagOf(entry, "before_work"),
          FlagOf(entry, "takes_machine")};
}

// {"name": "NCCL_IB_HCA", "first": "2.3.5", "type": "string", "effect": {"en": …, "zh": …}, …}
VariableKnowledge DecodeVariable(std::string_view record, Language language) {
  const JsonValue entry = Parse(record);
  VariableKnowledge out;
  out.name = TextOf(entry, "name");
  out.first = TextOf(entry, "first");
  out.last = TextOf(entry, "last");
  out.type = TextOf(entry, "type");
  out.default_value = TextOf(entry, "default", language);
  out.values = TextOf(entry, "values", language);
  out.effect = TextOf(entry, "effect", language);
  out.read_by = TextOf(entry, "read_by");
  out.must_agree = FlagOf(entry, "must_agree");
  out.numeric = FlagOf(entry, "numeric");
  out.logs_only = FlagOf(entry, "logs_only");
  if (const JsonValue* degrading = Member(entry, "degrading"); degrading != nullptr && degrading->is_object()) {
    out.degrading_when = TextOf(*degrading, "when");
    out.degrading_text = TextOf(*degrading, "text", language);
  }
  out.valid = TextOf(entry, "valid");
  out.replaced_by = TextOf(entry, "replaced_by");
  out.example = TextOf(entry, "example");
  out.mistake = TextOf(entry, "mistake", language);
  return out;
}

std::pair<std::string, std::string> DecodeNeverRead(std::string_view record, Language language) {
  const JsonValue entry = Parse(record);
  return {TextOf(entry, "text", language), TextOf(entry, "nearest")};
}

// "xid", "79" and "0x4f" are one key: "xid/79".
std::string CodeKey(std::string_view table, std::string_view code) {
  std::optional<int64_t> number = ParseInt(code);
  // Only with 0x: `12` of an errno is decimal, and a code like `1f` is a name.
  if (!number && code.substr(0, 2) == "0x") number = ParseInt(code.substr(2), 16);
  return std::string(table) + "/" + (number ? std::to_string(*number) : std::string(code));
}

// All members are kept: what only some tables have (fatal, who, action) goes to `more`, by its name.
CodeKnowledge DecodeCode(std::string_view table, std::string_view record, Language language) {
  const JsonValue entry = Parse(record);
  CodeKnowledge out;
  out.table = table;
  for (auto it = entry.begin(); entry.is_object() && it != entry.end(); ++it) {
    if (it.key() == "name") {
      out.name = TextOf(&*it, language);
    } else if (it.key() == "text") {
      out.text = TextOf(&*it, language);
    } else if (it.key() == "meaning") {
      out.meaning = TextOf(&*it, language);
    } else if (it.key() == "causes") {
      out.causes = StringsOf(entry, "causes");
    } else if (it.key() == "code") {
      out.key = TextOf(&*it, language);
      // CodeKey reads decimal and 0x alike; behind the slash stands the number.
      out.code = ParseInt(std::string_view(CodeKey("", out.key)).substr(1)).value_or(0);
    } else {
      out.more.emplace(it.key(), TextOf(&*it, language));
    }
  }
  return out;
}

BugKnowledge DecodeBug(std::string_view record, Language language) {
  const JsonValue entry = Parse(record);
  BugKnowledge out;
  out.id = TextOf(entry, "id");
  out.title = TextOf(entry, "title", language);
  out.product = TextOf(entry, "product");
  out.text = TextOf(entry, "text", language);
  out.affected = TextOf(entry, "affected");
  out.fixed_in = TextOf(entry, "fixed_in");
  out.cause = TextOf(entry, "cause");
  out.references = StringsOf(entry, "references");
  return out;
}

IncidentKnowledge DecodeIncident(std::string_view record, Language language) {
  const JsonValue entry = Parse(record);
  IncidentKnowledge out;
  out.id = TextOf(entry, "id");
  out.url = TextOf(entry, "url");
  out.cause = TextOf(entry, "cause");
  if (const JsonValue* products = Member(entry, "products"); products != nullptr && products->is_object()) {
    for (const auto& [name, version] : products->items()) out.products.emplace(name, TextOf(&version, language));
  }
  out.looked_like = StringsOf(entry, "looked_like");
  out.title = TextOf(entry, "title", language);
  out.solved = TextOf(entry, "solved", language);
  out.open = FlagOf(entry, "open");
  return out;
}

// {"word": "oom", "rarity": 5.56, "causes": {"app.rank-crashed": -0.04, "host.oom": 3.06}}
WordKnowledge DecodeWord(std::string_view record) {
  const JsonValue entry = Parse(record);
  WordKnowledge out;
  if (const JsonValue* rarity = Member(entry, "rarity"); rarity != nullptr && rarity->is_number())
    out.rarity = rarity->get<double>();
  out.causes = WeightsOf(entry);
  return out;
}

// `by_version` judges anew where a message means something else in another release; the first range that fits counts.
MessageKnowledge DecodeMessage(std::string_view record, std::string_view nccl, Language language) {
  const JsonValue entry = Parse(record);
  MessageKnowledge out;
  out.level = TextOf(entry, "level");
  out.first = TextOf(entry, "first");
  out.last = TextOf(entry, "last");
  out.product = TextOf(entry, "product");
  out.files = StringsOf(entry, "files");
  ReadJudgement(entry, language, &out);
  bool found = false;
  ForEach(entry, "by_version", [&](const JsonValue& range) {
    const auto versions = ParseVersionRange(TextOf(range, "nccl"));
    // A version that is not known has the code of none, which only a range without ends contains.
    if (found || !versions || !versions->Contains(VersionCode(nccl))) return;
    ReadJudgement(range, language, &out);
    found = true;
  });
  return out;
}

}  // namespace ncclwhy
