#include "rules/engine/loader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kb/loader/kb_check.h"
#include "rules/engine/rule_reader.h"

namespace ncclwhy {
namespace {

using nlohmann::json;

// All keys of a rule. What is not here is a mistake in writing, and said to be one: a condition that nobody reads would
// be worse.
const Keys& KeysOfRule() {
  static const Keys keys = {"$schema",       "schema",        "id",          "role",       "title",      "match",
                            "query",         "min_processes", "needs",       "min_needs",  "needs_each", "nccl",
                            "needs_version", "causes",        "near",        "unless",     "boost",      "explains",
                            "blame",         "fields",        "note",        "references", "when",       "covered_by",
                            "degrades",      "contradicts",   "collect",     "fixed_in",   "fix",        "fix_command",
                            "recurs",        "sign",          "last_resort", "says_why",   "headline",   "follows",
                            "tells",         "between_hosts"};
  return keys;
}

// <family>/<rule-id>/rule.json
// "ib" of "rules/ib/ib.retry-exceeded/rule.json"; empty where the path is shorter.
std::string FamilyOf(std::string_view file) {
  size_t end = file.rfind('/');
  if (end == std::string_view::npos || end == 0) return {};
  end = file.rfind('/', end - 1);
  if (end == std::string_view::npos || end == 0) return {};
  const size_t begin = file.rfind('/', end - 1);
  return std::string(file.substr(begin == std::string_view::npos ? 0 : begin + 1,
                                 end - (begin == std::string_view::npos ? 0 : begin + 1)));
}

// A rule is read in groups of keys that belong together; each key has its own check.
void ReadName(const json& root, RuleReader& reader, Rule& rule) {
  reader.CheckKeys(root, "", KeysOfRule(), {"schema", "id", "role", "title"});
  if (root.contains("schema") && reader.String(root["schema"], "/schema") != kRuleSchema) {
    reader.Error("/schema", "R005", fmt::format("this build reads \"{}\"", kRuleSchema));
  }
  if (root.contains("id")) rule.id = reader.String(root["id"], "/id");
  if (root.contains("role")) rule.role = reader.Word(root["role"], "/role", kRoleWords, Role::kRoot);
  if (root.contains("title")) reader.Text(root["title"], "/title", &rule.title_en, &rule.title_zh);
  if (root.contains("note")) reader.Text(root["note"], "/note", &rule.note_en, &rule.note_zh);
  if (root.contains("references")) rule.references = reader.Strings(root["references"], "/references");
}

// What fires it: lines, or a query and when it is asked.
void ReadTrigger(const json& root, RuleReader& reader, Rule& rule) {
  if (root.contains("match")) rule.patterns = reader.Patterns(root["match"], "/match");
  if (root.contains("query")) rule.query = reader.String(root["query"], "/query");
  // Both or neither.
  // Which of them fired it would else depend on the log.
  if (root.contains("match") == root.contains("query")) {
    reader.Error(root.contains("query") ? "/query" : "", "R041", "a rule has either \"match\" or \"query\"");
  }
  // At most 65536, and only beside the key that it counts for: by itself it would say nothing.
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
    // Names of events and findings without which the query is not asked at all: queries cost, and most would find
    // nothing.
    rule.needs = reader.Strings(root["needs"], "/needs");
    if (!root.contains("query")) reader.Error("/needs", "R005", "it belongs beside a \"query\"");
  }
  if (root.contains("needs_each")) {
    rule.needs_each = reader.Strings(root["needs_each"], "/needs_each");
    if (!root.contains("query")) reader.Error("/needs_each", "R005", "it belongs beside a \"query\"");
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
  if (root.contains("near")) rule.near = reader.Conditions(root["near"], "/near", false);
  if (root.contains("unless")) rule.unless = reader.Conditions(root["unless"], "/unless", false);
  if (root.contains("boost")) rule.boost = reader.Conditions(root["boost"], "/boost", true);
}

// What it speaks for, and of whom.
void ReadMeaning(const json& root, RuleReader& reader, Rule& rule) {
  if (root.contains("causes")) rule.causes = reader.Weights(root["causes"], "/causes");
  if (root.contains("explains")) rule.explains = reader.Strings(root["explains"], "/explains");
  if (root.contains("blame")) rule.blame = reader.Word(root["blame"], "/blame", kBlameWords, Blame::kSelf);
  if (root.contains("sign")) rule.sign = reader.SignOfLife(root["sign"], "/sign");
  if (root.contains("fields") && reader.IsObject(root["fields"], "/fields")) {
    for (const auto& item : root["fields"].items()) {
      rule.fields.emplace_back(item.key(), reader.String(item.value(), "/fields/" + item.key()));
    }
  }
  const bool failure = rule.role == Role::kRoot || rule.role == Role::kSymptom;
  if (root.contains("says_why")) {
    rule.says_why = reader.Bool(root["says_why"], "/says_why");
    // What a warning or a query says is the rule's own words, not the program's.
    if (rule.says_why && (!failure || root.contains("query"))) {
      reader.Error("/says_why", "R005", "only a root or symptom that is matched by lines");
    }
  }
  if (root.contains("last_resort")) {
    rule.last_resort = reader.Bool(root["last_resort"], "/last_resort");
    if (rule.last_resort && (!failure || root.contains("query") || root.contains("sign"))) {
      reader.Error("/last_resort", "R005", "only a root or symptom that is matched by lines and is no sign of life");
    }
  }
  if (root.contains("follows")) reader.Text(root["follows"], "/follows", &rule.follows_en, &rule.follows_zh);
  if (root.contains("tells")) {
    std::vector<std::string> complaints;
    CheckTold(root["tells"], &complaints);
    for (std::string& complaint : complaints) reader.Error("/tells", "R005", std::move(complaint));
    if (complaints.empty()) rule.tells = root["tells"].dump();
  }
  if (root.contains("recurs")) {
    rule.recurs = reader.String(root["recurs"], "/recurs") == "always";
    if (!rule.recurs) reader.Error("/recurs", "R005", "only \"always\" is known here");
  }
  if (root.contains("fixed_in")) rule.fixed_in = reader.String(root["fixed_in"], "/fixed_in");
  if (root.contains("fix")) reader.Text(root["fix"], "/fix", &rule.fix_en, &rule.fix_zh);
  if (root.contains("fix_command")) {
    rule.fix_command = reader.String(root["fix_command"], "/fix_command");
    if (rule.fix_en.empty()) reader.Error("/fix_command", "R003", "a command needs the fix that it is part of");
  }
}

void ReadWarning(const json& root, RuleReader& reader, Rule& rule) {
  if (root.contains("when")) {
    const std::string when = reader.String(root["when"], "/when");
    rule.open_end_only = when == "open-end";
    rule.healthy_only = rule.open_end_only || when == "healthy";
    if (!rule.healthy_only) reader.Error("/when", "R005", "\"healthy\" and \"open-end\" are known here");
  }
  if (root.contains("between_hosts")) rule.between_hosts = reader.Bool(root["between_hosts"], "/between_hosts");
  if (root.contains("degrades")) {
    rule.degrades = reader.Bool(root["degrades"], "/degrades");
    if (rule.degrades && rule.role != Role::kWarning) reader.Error("/degrades", "R005", "only a warning degrades");
  }
  if (root.contains("contradicts")) {
    rule.contradicts = reader.Bool(root["contradicts"], "/contradicts");
    if (rule.contradicts && rule.role != Role::kWarning) reader.Error("/contradicts", "R005", "only a warning does");
  }
  if (root.contains("covered_by")) rule.covered_by = reader.Strings(root["covered_by"], "/covered_by");
  if (root.contains("collect")) rule.collect = reader.Steps(root["collect"], "/collect");
  if (root.contains("headline")) reader.Text(root["headline"], "/headline", &rule.headline_en, &rule.headline_zh);
}

// Goes on behind a mistake, so that an author sees all of them at once.
Rule Read(const json& root, const RuleText& text, RuleReader& reader) {
  Rule rule;
  rule.file = text.file();
  // By where the file stands, so that no rule can say another one.
  rule.family = FamilyOf(text.file());
  ReadName(root, reader, rule);
  ReadTrigger(root, reader, rule);
  ReadMeaning(root, reader, rule);
  ReadWarning(root, reader, rule);
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
  // json::parse takes the last of two equal keys without a word.
  for (const std::string& path : text.duplicates()) {
    reader.Error(path, "R006", fmt::format("key \"{}\" occurs twice", path.substr(path.rfind('/') + 1)));
  }
  if (!reader.IsObject(root, "")) return std::nullopt;
  Rule rule = Read(root, text, reader);
  // A rule with any error does not exist: half of its conditions would match too much.
  if (!reader.ok()) return std::nullopt;
  return rule;
}

const std::vector<std::string_view>& RuleKeys(std::string_view place) {
  if (place == "match") return KeysOfMatch();
  if (place == "condition") return KeysOfCondition();
  return KeysOfRule();
}

}  // namespace ncclwhy
