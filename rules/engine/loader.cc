#include "rules/engine/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

using nlohmann::json;
using Keys = std::vector<std::string_view>;

const Keys& KeysOfRule() {
  static const Keys keys = {
      "$schema",  "schema",    "id",     "role",          "title",      "match", "query",       "min_processes",
      "needs",    "min_needs", "nccl",   "needs_version", "causes",     "near",  "unless",      "boost",
      "explains", "blame",     "fields", "note",          "references", "when",  "covered_by",  "degrades",
      "collect",  "fixed_in",  "fix",    "fix_command",   "recurs",     "sign",  "last_resort", "headline"};
  return keys;
}
const Keys& KeysOfMatch() {
  static const Keys keys = {"literal", "regex", "level", "dialect", "file"};
  return keys;
}
const Keys& KeysOfCondition() {
  static const Keys keys = {"literal", "regex", "level", "dialect", "file", "scope", "within", "order", "causes"};
  return keys;
}

// Reads one file; every method that can complain takes the path of the value for the diagnostic.
class RuleReader {
 public:
  RuleReader(const RuleText& text, std::vector<Diagnostic>* out) : text_(text), out_(out) {}

  bool ok() const { return ok_; }

  void Error(const std::string& path, std::string code, std::string message, std::string help = {}) {
    ok_ = false;
    out_->push_back(text_.At(Diagnostic::kError, path, std::move(code), std::move(message), std::move(help)));
  }

  bool IsObject(const json& value, const std::string& path) { return IsType(value.is_object(), path, "an object"); }
  bool IsArray(const json& value, const std::string& path) { return IsType(value.is_array(), path, "an array"); }

  void CheckKeys(const json& object, const std::string& path, const Keys& known, const Keys& required) {
    for (const auto& item : object.items()) {
      if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
      ok_ = false;
      const std::string_view near = NearestName(item.key(), known);
      out_->push_back(text_.AtKey(Diagnostic::kError, path + "/" + item.key(), "R002",
                                  fmt::format("unknown key \"{}\"", item.key()),
                                  near.empty() ? fmt::format("known keys are {}", fmt::join(known, ", "))
                                               : fmt::format("did you mean \"{}\"?", near)));
    }
    for (const std::string_view key : required) {
      if (!object.contains(key)) Error(path, "R003", fmt::format("key \"{}\" is missing", key));
    }
  }

  std::string String(const json& value, const std::string& path, bool may_be_empty = false) {
    if (!IsType(value.is_string(), path, "a string")) return {};
    std::string result = value.get<std::string>();
    if (result.empty() && !may_be_empty) Error(path, "R005", "the text is empty");
    return result;
  }

  // A string or a non-empty array of strings.
  std::vector<std::string> Strings(const json& value, const std::string& path) {
    if (value.is_string()) return {String(value, path)};
    std::vector<std::string> result;
    if (!IsType(value.is_array(), path, "a string or an array of strings")) return result;
    if (value.empty()) Error(path, "R005", "the list is empty", "leave the key out instead");
    for (size_t i = 0; i < value.size(); ++i) result.push_back(String(value[i], fmt::format("{}/{}", path, i)));
    return result;
  }

  bool Bool(const json& value, const std::string& path) {
    return IsType(value.is_boolean(), path, "true or false") && value.get<bool>();
  }

  // {"en": …, "zh": …}; both or neither: a report in one language must not fall back to the other.
  void Text(const json& value, const std::string& path, std::string* en, std::string* zh) {
    if (!IsObject(value, path)) return;
    CheckKeys(value, path, {"en", "zh"}, {"en", "zh"});
    if (value.contains("en")) *en = String(value["en"], path + "/en");
    if (value.contains("zh")) *zh = String(value["zh"], path + "/zh");
  }

  std::vector<Weight> Weights(const json& value, const std::string& path) {
    std::vector<Weight> result;
    if (!IsObject(value, path)) return result;
    for (const auto& item : value.items()) {
      const std::string here = path + "/" + item.key();
      if (!IsType(item.value().is_number(), here, "a number (log-odds)")) continue;
      const double log_odds = item.value().get<double>();
      if (log_odds == 0 || log_odds < -10 || log_odds > 10) {
        Error(here, "R005", fmt::format("{} is no useful weight", log_odds),
              "weights are log-odds between -10 and 10: 1 = a hint, 3 = strong, 5 = nearly proof; negative speaks "
              "against");
      }
      result.push_back({item.key(), log_odds});
    }
    if (value.empty()) Error(path, "R005", "no cause is named", "leave \"causes\" out instead");
    return result;
  }

  // One of a vocabulary of (name, value) pairs.
  template <typename T, size_t N>
  T Word(const json& value, const std::string& path, const std::array<NamedValue<T>, N>& words, T fallback) {
    const std::string name = String(value, path);
    if (name.empty()) return fallback;
    Keys names;
    for (const auto& word : words) {
      if (word.name == name) return word.value;
      names.push_back(word.name);
    }
    Error(path, "R005", fmt::format("\"{}\" is not known here", name),
          fmt::format("one of {}", fmt::join(names, ", ")));
    return fallback;
  }

  template <typename T, size_t N>
  std::vector<T> Words(const json& value, const std::string& path, const std::array<NamedValue<T>, N>& words,
                       T fallback) {
    std::vector<T> result;
    if (value.is_array()) {
      if (value.empty()) Error(path, "R005", "the list is empty", "leave the key out instead");
      for (size_t i = 0; i < value.size(); ++i) {
        result.push_back(Word(value[i], fmt::format("{}/{}", path, i), words, fallback));
      }
    } else {
      result.push_back(Word(value, path, words, fallback));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // {"life": "ending", "how": "signal", "of": "named"}
  Sign SignOfLife(const json& value, const std::string& path) {
    Sign sign;
    if (!IsObject(value, path)) return sign;
    CheckKeys(value, path, {"life", "how", "of", "late"}, {"life"});
    if (value.contains("life")) sign.life = Word(value["life"], path + "/life", kLifeWords, Life::kNone);
    if (value.contains("how")) sign.how = Word(value["how"], path + "/how", kEndingWords, Ending::kNone);
    if (value.contains("of")) sign.of = Word(value["of"], path + "/of", kSignOfWords, SignOf::kSelf);
    if (value.contains("late")) sign.late = Bool(value["late"], path + "/late");
    const bool gives_up = sign.life == Life::kWaiting && sign.how == Ending::kAbort;
    if ((sign.life == Life::kEnding) != value.contains("how") && !gives_up) {
      Error(path, "R005", "\"how\" belongs to an ending, and an ending needs it");
    }
    return sign;
  }

  LinePattern Pattern(const json& value, const std::string& path) {
    LinePattern pattern;
    if (value.contains("literal")) pattern.literals = Strings(value["literal"], path + "/literal");
    if (value.contains("regex")) pattern.regex = String(value["regex"], path + "/regex");
    if (value.contains("level")) pattern.levels = Words(value["level"], path + "/level", kLevelWords, LogLevel::kNone);
    if (value.contains("dialect")) {
      pattern.dialects = Words(value["dialect"], path + "/dialect", kDialectWords, Dialect::kUnknown);
    }
    if (value.contains("file")) {
      pattern.file = String(value["file"], path + "/file");
      if (pattern.file.find('/') != std::string::npos) {
        Error(path + "/file", "R005", "\"file\" is a name without directory",
              "NCCL moved files between directories over the years; write only the last part, such as \"socket.cc\"");
      }
    }
    if (pattern.literals.empty() && pattern.regex.empty()) {
      Error(path, "R030", "neither \"literal\" nor \"regex\" is given");
    }
    return pattern;
  }

  std::vector<LinePattern> Patterns(const json& value, const std::string& path) {
    std::vector<LinePattern> result;
    if (!IsArray(value, path)) return result;
    if (value.empty()) Error(path, "R005", "the list is empty", "a rule needs at least one pattern, or a \"query\"");
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string here = fmt::format("{}/{}", path, i);
      if (!IsObject(value[i], here)) continue;
      CheckKeys(value[i], here, KeysOfMatch(), {});
      result.push_back(Pattern(value[i], here));
    }
    return result;
  }

  std::vector<CollectStep> Steps(const json& value, const std::string& path) {
    std::vector<CollectStep> result;
    if (!IsArray(value, path)) return result;
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string here = fmt::format("{}/{}", path, i);
      if (!IsObject(value[i], here)) continue;
      CheckKeys(value[i], here, {"what", "command"}, {"what", "command"});
      CollectStep step;
      if (value[i].contains("what")) Text(value[i]["what"], here + "/what", &step.what_en, &step.what_zh);
      if (value[i].contains("command")) step.command = String(value[i]["command"], here + "/command");
      result.push_back(std::move(step));
    }
    return result;
  }

  std::vector<Condition> Conditions(const json& value, const std::string& path, bool boost) {
    std::vector<Condition> result;
    if (!IsArray(value, path)) return result;
    if (value.empty()) Error(path, "R005", "the list is empty", "leave the key out instead");
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string here = fmt::format("{}/{}", path, i);
      if (!IsObject(value[i], here)) continue;
      CheckKeys(value[i], here, KeysOfCondition(), boost ? Keys{"causes"} : Keys{});
      result.push_back(OneCondition(value[i], here, boost));
    }
    return result;
  }

 private:
  bool IsType(bool is, const std::string& path, std::string_view what) {
    if (!is) Error(path, "R004", fmt::format("this must be {}", what));
    return is;
  }

  Condition OneCondition(const json& value, const std::string& path, bool boost) {
    Condition condition;
    condition.pattern = Pattern(value, path);
    if (value.contains("scope")) condition.scope = Word(value["scope"], path + "/scope", kScopeWords, Scope::kProcess);
    if (value.contains("within")) {
      const json& within = value["within"];
      const bool integer =
          within.is_number_unsigned() && within.get<uint64_t>() > 0 && within.get<uint64_t>() <= 100000;
      if (IsType(integer, path + "/within", "a number of lines from 1 to 100000")) {
        condition.within = within.get<uint32_t>();
      }
    }
    if (value.contains("order")) {
      const std::string order = String(value["order"], path + "/order");
      condition.before_only = order == "before";
      condition.after_only = order == "after";
      if (!order.empty() && !condition.before_only && !condition.after_only) {
        Error(path + "/order", "R005", fmt::format("\"{}\" is not known here", order), "one of before, after");
      }
    }
    if (value.contains("causes")) {
      if (boost) {
        condition.causes = Weights(value["causes"], path + "/causes");
      } else {
        Error(path + "/causes", "R002", "\"causes\" belongs to conditions of \"boost\" only");
      }
    }
    return condition;
  }

  const RuleText& text_;
  std::vector<Diagnostic>* out_;
  bool ok_ = true;
};

// <family>/<rule-id>/rule.json
std::string FamilyOf(std::string_view file) {
  size_t end = file.rfind('/');
  if (end == std::string_view::npos || end == 0) return {};
  end = file.rfind('/', end - 1);
  if (end == std::string_view::npos || end == 0) return {};
  const size_t begin = file.rfind('/', end - 1);
  return std::string(file.substr(begin == std::string_view::npos ? 0 : begin + 1,
                                 end - (begin == std::string_view::npos ? 0 : begin + 1)));
}

Rule Read(const json& root, const RuleText& text, RuleReader& reader) {
  Rule rule;
  rule.file = text.file();
  rule.family = FamilyOf(text.file());
  reader.CheckKeys(root, "", KeysOfRule(), {"schema", "id", "role", "title"});
  if (root.contains("schema")) {
    const std::string schema = reader.String(root["schema"], "/schema");
    if (schema != kRuleSchema) {
      reader.Error("/schema", "R005", fmt::format("this build reads \"{}\"", kRuleSchema));
    }
  }
  if (root.contains("id")) rule.id = reader.String(root["id"], "/id");
  if (root.contains("role")) rule.role = reader.Word(root["role"], "/role", kRoleWords, Role::kRoot);
  if (root.contains("title")) reader.Text(root["title"], "/title", &rule.title_en, &rule.title_zh);
  if (root.contains("note")) reader.Text(root["note"], "/note", &rule.note_en, &rule.note_zh);
  if (root.contains("match")) rule.patterns = reader.Patterns(root["match"], "/match");
  if (root.contains("query")) rule.query = reader.String(root["query"], "/query");
  const auto count = [&](const char* name, const char* beside, const char* what, uint32_t* out) {
    if (!root.contains(name)) return;
    const json& value = root[name];
    if (value.is_number_unsigned() && value.get<uint64_t>() <= 65536 && root.contains(beside)) {
      *out = value.get<uint32_t>();
    } else {
      reader.Error(std::string("/") + name, "R005",
                   fmt::format("a count of {} is expected, beside \"{}\"", what, beside));
    }
  };
  count("min_processes", "query", "processes", &rule.min_processes);
  count("min_needs", "needs", "events and findings", &rule.min_needs);
  if (root.contains("needs")) {
    rule.needs = reader.Strings(root["needs"], "/needs");
    if (!root.contains("query")) reader.Error("/needs", "R005", "it belongs beside a \"query\"");
  }
  if (root.contains("match") == root.contains("query")) {
    reader.Error(root.contains("query") ? "/query" : "", "R041", "a rule has either \"match\" or \"query\"");
  }
  if (root.contains("nccl")) {
    const std::string range = reader.String(root["nccl"], "/nccl");
    if (const auto versions = ParseVersionRange(range)) {
      rule.nccl = *versions;
    } else if (!range.empty()) {
      reader.Error("/nccl", "R005", fmt::format("\"{}\" is no range of versions", range),
                   "write \"2.4..2.21\", \"..2.18\", \"2.22..\" or \"2.19.3\"");
    }
  }
  if (root.contains("needs_version")) rule.needs_version = reader.Bool(root["needs_version"], "/needs_version");
  if (root.contains("causes")) rule.causes = reader.Weights(root["causes"], "/causes");
  if (root.contains("near")) rule.near = reader.Conditions(root["near"], "/near", false);
  if (root.contains("unless")) rule.unless = reader.Conditions(root["unless"], "/unless", false);
  if (root.contains("boost")) rule.boost = reader.Conditions(root["boost"], "/boost", true);
  if (root.contains("explains")) rule.explains = reader.Strings(root["explains"], "/explains");
  if (root.contains("blame")) rule.blame = reader.Word(root["blame"], "/blame", kBlameWords, Blame::kSelf);
  if (root.contains("sign")) rule.sign = reader.SignOfLife(root["sign"], "/sign");
  if (root.contains("fields") && reader.IsObject(root["fields"], "/fields")) {
    for (const auto& item : root["fields"].items()) {
      rule.fields.emplace_back(item.key(), reader.String(item.value(), "/fields/" + item.key()));
    }
  }
  if (root.contains("when")) {
    rule.healthy_only = reader.String(root["when"], "/when") == "healthy";
    if (!rule.healthy_only) reader.Error("/when", "R005", "only \"healthy\" is known here");
  }
  if (root.contains("degrades")) {
    rule.degrades = reader.Bool(root["degrades"], "/degrades");
    if (rule.degrades && rule.role != Role::kWarning) reader.Error("/degrades", "R005", "only a warning degrades");
  }
  if (root.contains("last_resort")) {
    rule.last_resort = reader.Bool(root["last_resort"], "/last_resort");
    const bool failure = rule.role == Role::kRoot || rule.role == Role::kSymptom;
    if (rule.last_resort && (!failure || root.contains("query") || root.contains("sign"))) {
      reader.Error("/last_resort", "R005", "only a root or symptom that is matched by lines and is no sign of life");
    }
  }
  if (root.contains("covered_by")) rule.covered_by = reader.Strings(root["covered_by"], "/covered_by");
  if (root.contains("collect")) rule.collect = reader.Steps(root["collect"], "/collect");
  if (root.contains("headline")) reader.Text(root["headline"], "/headline", &rule.headline_en, &rule.headline_zh);
  if (root.contains("fixed_in")) rule.fixed_in = reader.String(root["fixed_in"], "/fixed_in");
  if (root.contains("fix")) reader.Text(root["fix"], "/fix", &rule.fix_en, &rule.fix_zh);
  if (root.contains("fix_command")) {
    rule.fix_command = reader.String(root["fix_command"], "/fix_command");
    if (rule.fix_en.empty()) reader.Error("/fix_command", "R003", "a command needs the fix that it is part of");
  }
  if (root.contains("recurs")) {
    rule.recurs = reader.String(root["recurs"], "/recurs") == "always";
    if (!rule.recurs) reader.Error("/recurs", "R005", "only \"always\" is known here");
  }
  if (root.contains("references")) rule.references = reader.Strings(root["references"], "/references");
  return rule;
}

}  // namespace

std::optional<Rule> ParseRule(const RuleText& text, std::vector<Diagnostic>* diagnostics) {
  RuleReader reader(text, diagnostics);
  json root;
  try {
    root = json::parse(text.text());
  } catch (const json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 4: syntax error …": keep what follows the place.
    std::string_view what = error.what();
    if (const size_t at = what.find(": "); at != std::string_view::npos) what.remove_prefix(at + 2);
    diagnostics->push_back(text.AtOffset(Diagnostic::kError, error.byte == 0 ? 0 : error.byte - 1, "R001",
                                         fmt::format("this is not JSON: {}", what)));
    return std::nullopt;
  } catch (const std::exception& error) {
    diagnostics->push_back(text.At(Diagnostic::kError, "", "R001", error.what()));
    return std::nullopt;
  }
  for (const std::string& path : text.duplicates()) {
    reader.Error(path, "R006", fmt::format("key \"{}\" occurs twice", path.substr(path.rfind('/') + 1)));
  }
  if (!reader.IsObject(root, "")) return std::nullopt;
  Rule rule = Read(root, text, reader);
  if (!reader.ok()) return std::nullopt;
  return rule;
}

const std::vector<std::string_view>& RuleKeys(std::string_view place) {
  if (place == "match") return KeysOfMatch();
  if (place == "condition") return KeysOfCondition();
  return KeysOfRule();
}

}  // namespace ncclwhy
