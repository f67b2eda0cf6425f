#include "rules/engine/rule_reader.h"

namespace ncclwhy {
const Keys& KeysOfMatch() {
  static const Keys keys = {"literal", "regex", "level", "dialect", "file"};
  return keys;
}
const Keys& KeysOfCondition() {
  static const Keys keys = {"literal", "regex", "level", "dialect", "file", "scope", "within", "order", "causes"};
  return keys;
}

// Unknown keys first: a misspelt one explains a missing one.
void RuleReader::CheckKeys(const nlohmann::json& object, const std::string& path, const Keys& known,
                           const Keys& required) {
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    ok_ = false;
    //    "literals": […]     did you mean "literal"?
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

std::string RuleReader::String(const nlohmann::json& value, const std::string& path, bool may_be_empty) {
  if (!IsType(value.is_string(), path, "a string")) return {};
  std::string result = value.get<std::string>();
  if (result.empty() && !may_be_empty) Error(path, "R005", "the text is empty");
  return result;
}

// "literal": "x" and "literal": ["x", "y"] are both common.
std::vector<KeptText> RuleReader::Strings(const nlohmann::json& value, const std::string& path) {
  if (value.is_string()) return {String(value, path)};
  std::vector<KeptText> result;
  if (!IsType(value.is_array(), path, "a string or an array of strings")) return result;
  if (value.empty()) Error(path, "R005", "the list is empty", "leave the key out instead");
  for (size_t i = 0; i < value.size(); ++i) result.push_back(String(value[i], fmt::format("{}/{}", path, i)));
  return result;
}

// Both languages or a complaint: no report falls back from one to the other.
void RuleReader::Text(const nlohmann::json& value, const std::string& path, KeptText* en, KeptText* zh) {
  if (!IsObject(value, path)) return;
  CheckKeys(value, path, {"en", "zh"}, {"en", "zh"});
  if (value.contains("en")) *en = String(value["en"], path + "/en");
  if (value.contains("zh")) *zh = String(value["zh"], path + "/zh");
}

// A weight of zero does nothing, one beyond 10 would outweigh any other evidence.
std::vector<Weight> RuleReader::Weights(const nlohmann::json& value, const std::string& path) {
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

// "how" stands with an ending, and with a wait that ends in an abort.
Sign RuleReader::SignOfLife(const nlohmann::json& value, const std::string& path) {
  Sign sign;
  if (!IsObject(value, path)) return sign;
  CheckKeys(value, path, {"life", "how", "of", "late", "suite"}, {"life"});
  if (value.contains("life")) sign.life = Word(value["life"], path + "/life", kLifeWords, Life::kNone);
  //    "sign": {"life": "ending"}     with exit code 0, or of SIGKILL: it does not say
  if (value.contains("how")) sign.how = Word(value["how"], path + "/how", kEndingWords, Ending::kNone);
  if (value.contains("of")) sign.of = Word(value["of"], path + "/of", kSignOfWords, SignOf::kSelf);
  if (value.contains("late")) sign.late = Bool(value["late"], path + "/late");
  if (value.contains("suite")) sign.suite = Bool(value["suite"], path + "/suite");
  const bool gives_up = sign.life == Life::kWaiting && sign.how == Ending::kAbort;
  if ((sign.life == Life::kEnding) != value.contains("how") && !gives_up) {
    Error(path, "R005", "\"how\" belongs to an ending, and an ending needs it");
  }
  return sign;
}

// A rule that matches every line is refused: neither literal nor regex.
LinePattern RuleReader::Pattern(const nlohmann::json& value, const std::string& path) {
  LinePattern pattern;
  if (value.contains("literal")) pattern.literals = Strings(value["literal"], path + "/literal");
  if (value.contains("regex")) pattern.regex = String(value["regex"], path + "/regex");
  if (value.contains("level")) pattern.levels = Words(value["level"], path + "/level", kLevelWords, LogLevel::kNone);
  if (value.contains("dialect")) {
    pattern.dialects = Words(value["dialect"], path + "/dialect", kDialectWords, Dialect::kUnknown);
  }
  if (value.contains("file")) {
    pattern.file = String(value["file"], path + "/file");
    //    misc/socket.cc (2.4)     src/misc/socket.cc (own builds)     transport/net_socket.cc
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

std::vector<LinePattern> RuleReader::Patterns(const nlohmann::json& value, const std::string& path) {
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

// What is wrong with a step is told; the step is kept, so that reading goes on.
std::vector<CollectStep> RuleReader::Steps(const nlohmann::json& value, const std::string& path) {
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

std::vector<Condition> RuleReader::Conditions(const nlohmann::json& value, const std::string& path, bool boost) {
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

// "order": "before" asks for a line in front of the matched one.
Condition RuleReader::OneCondition(const nlohmann::json& value, const std::string& path, bool boost) {
  Condition condition;
  condition.pattern = Pattern(value, path);
  if (value.contains("scope")) condition.scope = Word(value["scope"], path + "/scope", kScopeWords, Scope::kProcess);
  if (value.contains("within")) {
    const nlohmann::json& within = value["within"];
    // 0 is what it means to leave it out: anywhere in the scope.
    const bool integer = within.is_number_unsigned() && within.get<uint64_t>() > 0 && within.get<uint64_t>() <= 100000;
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

}  // namespace ncclwhy
