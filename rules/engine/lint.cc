#include "rules/engine/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "rules/engine/bare_columns.h"
#include "rules/engine/loader.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/rule_case.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

bool ReadFile(const fs::path& path, std::string* out) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::ostringstream text;
  text << file.rdbuf();
  *out = std::move(text).str();
  return !file.bad();
}

// Everything below `directory`, sorted by path. Directories that cannot be read are left out.
std::vector<fs::path> WalkFiles(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(directory, skip, error), end; !error && it != end; it.increment(error)) {
    std::error_code type_error;
    if (it->is_regular_file(type_error)) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.generic_string() < b.generic_string(); });
  return files;
}

// fires-2.28.log, silent-retry/rank0.log: a log, or a folder of logs of one job.
bool IsCaseName(const std::string& name) { return name.starts_with("fires") || name.starts_with("silent"); }

// shm-extend-failed; no upper case, as ids are names of folders on file systems that know none.
bool IsSlug(std::string_view id) {
  return !id.empty() && id.front() != '-' && id.back() != '-' &&
         std::all_of(id.begin(), id.end(), [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; });
}

class RuleLint {
 public:
  RuleLint(const Rule& rule, const RuleText& text, const LintOptions& options, std::vector<Diagnostic>* out)
      : rule_(rule), text_(text), options_(options), out_(out) {}

  void Run() {
    Identity();
    Causes(rule_.causes, "/causes");
    std::vector<Weight> covering;
    for (const KeptText& cause : rule_.covered_by) covering.push_back({cause, 1});
    Causes(covering, "/covered_by");
    Conditions(rule_.near, "/near");
    Conditions(rule_.unless, "/unless");
    Conditions(rule_.boost, "/boost");
    for (size_t i = 0; i < rule_.patterns.size(); ++i) {
      LintPattern(rule_.patterns[i], text_, fmt::format("/match/{}", i), out_);
    }
    if (!rule_.query.empty()) Query();
    Meaning();
    Templates();
    References();
    if (options_.logs) Logs();
  }

 private:
  void Error(const std::string& path, std::string code, std::string message, std::string help = {}) {
    out_->push_back(text_.At(Diagnostic::kError, path, std::move(code), std::move(message), std::move(help)));
  }
  void Warn(const std::string& path, std::string code, std::string message, std::string help = {}) {
    out_->push_back(text_.At(Diagnostic::kWarning, path, std::move(code), std::move(message), std::move(help)));
  }

  // The folder says the id, so that two rules cannot take one id, and a rule is found by its name.
  void Identity() {
    const std::string folder = fs::path(rule_.file.str()).parent_path().filename().string();
    std::string_view id = rule_.id;
    if (id.starts_with("message.")) id.remove_prefix(8);  // overrides what the catalogue of messages says
    if (!IsSlug(id)) {
      Error("/id", "R012", fmt::format("\"{}\" is no rule id", rule_.id), "use lower-case letters, digits and hyphens");
    } else if (rule_.id != folder) {
      Error("/id", "R010", fmt::format("the id is \"{}\", but the folder is \"{}\"", rule_.id, folder),
            "rename one of the two");
    }
  }

  // `path` is where the causes stand; the complaint points at the key, with the id that was probably meant.
  void Causes(const std::vector<Weight>& causes, const std::string& path) {
    // A user's rules may speak of causes that his own knowledge has; where that is not at hand nothing is asked.
    if (options_.causes == nullptr) return;
    std::vector<std::string_view> known(options_.causes->begin(), options_.causes->end());
    for (const Weight& weight : causes) {
      if (options_.causes->count(weight.cause) != 0) continue;
      const std::string_view nearest = NearestName(weight.cause, known);
      out_->push_back(text_.AtKey(Diagnostic::kError, fmt::format("{}/{}", path, weight.cause), "R020",
                                  fmt::format("no cause \"{}\" in kb/causes", weight.cause),
                                  nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)));
    }
  }

  // A condition is a pattern with a place to look at: both are checked.
  void Conditions(const std::vector<Condition>& conditions, const std::string& path) {
    for (size_t i = 0; i < conditions.size(); ++i) {
      const std::string here = fmt::format("{}/{}", path, i);
      LintPattern(conditions[i].pattern, text_, here, out_);
      Causes(conditions[i].causes, here + "/causes");
      if (conditions[i].scope == Scope::kLine && conditions[i].within == 0 &&
          (conditions[i].before_only || conditions[i].after_only)) {
        Error(here + "/order", "R024", "nothing stands before or after within the same line",
              "add \"within\", or another \"scope\"");
      }
    }
  }

  // Whether SQLite takes it is known only where somebody can run it: the build and `rules lint` can.
  void Query() {
    std::string head(rule_.query.substr(0, rule_.query.find_first_of(" \t\n(")));
    std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::toupper(c); });
    // The store's gate would refuse it too, but only when the rule is asked.
    if (head != "SELECT" && head != "WITH") {
      Error("/query", "R040", "a query is one SELECT (or WITH … SELECT)");
      return;
    }
    for (const std::string& column : BareColumns(rule_.query)) {
      Error("/query", "R043",
            fmt::format("\"{}\" stands bare beside aggregates: any row of the group gives its value", column),
            "group by it, or wrap it in min() or max()");
    }
    if (!options_.query) return;
    const auto rows = options_.query(rule_.query);
    if (!rows.ok()) Error("/query", "R042", fmt::format("the query fails: {}", rows.status().message()));
  }

  // Does what the rule says make sense together?
  void Meaning() {
    const bool names_cause = !rule_.causes.empty() || !rule_.boost.empty() || !rule_.query.empty();
    if (!names_cause && (rule_.role == Role::kRoot || rule_.role == Role::kSymptom)) {
      Warn("/role", "R022", fmt::format("a {} that names no cause decides nothing", WordOf(kRoleWords, rule_.role)),
           "give \"causes\" their log-odds");
    }
    const bool blames_peer = rule_.blame == Blame::kPeer || rule_.blame == Blame::kConnection;
    // The finding would blame nobody, in silence. Of two hosts the GID of a peer is the other one's.
    if (blames_peer && !GivesOneOf({"peer", "peer_rank", "peer_host", "address", "local_rank", "gid"})) {
      Warn("/blame", "R023", "the peer is blamed, but nothing tells who that is",
           "capture peer, peer_rank, peer_host, address or local_rank");
    }
    if (rule_.blame == Blame::kField && !GivesOneOf({"culprit_rank", "culprit_host"})) {
      Warn("/blame", "R023", "a field is blamed, but neither culprit_rank nor culprit_host is given");
    }
    for (const std::string_view glob : rule_.explains) {
      if (glob == rule_.id) Warn("/explains", "R051", "the rule explains itself");
    }
  }

  // Whether one of the names comes out of a group, a field or, as far as its text tells, of the query.
  bool GivesOneOf(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      const std::string group = "(?P<" + name + ">";
      for (const LinePattern& pattern : rule_.patterns) {
        if (pattern.regex.find(group) != std::string::npos) return true;
      }
      for (const Condition& condition : rule_.near) {
        if (condition.pattern.regex.find(group) != std::string::npos) return true;
      }
      for (const auto& field : rule_.fields) {
        if (field.first == name) return true;
      }
      if (rule_.query.find(name) != std::string::npos) return true;
    }
    return false;
  }

  // A name that nobody fills would stand in the report as "?".
  void Templates() {
    const auto check = [this](std::string_view text, const std::string& path) {
      for (const std::string_view name : TemplateNames(text)) {
        // A query's columns are the rule's own names; the rule's own note may print them.
        if (IsTemplateName(name) || rule_.query.find(name) != std::string::npos) continue;
        Error(path, "R080", fmt::format("no template knows {{{}}}", name), "the names are in kb/README.md");
      }
    };
    check(rule_.note_en, "/note/en");
    check(rule_.note_zh, "/note/zh");
    for (const auto& [name, value] : rule_.fields) {
      const std::string here = fmt::format("/fields/{}", name);
      check(value, here);
      if (!IsTemplateName(name)) {
        Error(here, "R080", fmt::format("no template knows {{{}}}", name), "the names are in kb/README.md");
      }
    }
  }

  void References() {
    for (size_t i = 0; i < rule_.references.size(); ++i) {
      const std::string_view url = rule_.references[i];
      if ((url.starts_with("https://") || url.starts_with("http://")) && url.find(' ') == url.npos) continue;
      Error(fmt::format("/references/{}", i), "R060", fmt::format("\"{}\" is no URL", url));
    }
  }

  // Every rule shows itself at work, and what looks like it and is none; an empty log shows neither.
  // An empty file among several is a rank that wrote nothing, which may be the point.
  void Logs() {
    const fs::path folder = fs::path(rule_.file.str()).parent_path();
    size_t fires = 0;
    size_t silent = 0;
    for (const fs::path& file : WalkFiles(folder)) {
      const fs::path inside = file.lexically_relative(folder);
      const std::string first = inside.begin()->string();
      if (inside.has_parent_path() ? !IsCaseName(first)
                                   : !IsCaseName(first) && first != "rule.json" && first != "expect.json") {
        Diagnostic d =
            text_.At(Diagnostic::kWarning, "", "R073", fmt::format("{} belongs to no test case", inside.string()),
                     "cases are fires*.log, silent*.log, and directories fires*/ and silent*/");
        out_->push_back(std::move(d));
        continue;
      }
      if (first == "rule.json" || first == "expect.json") continue;
      std::error_code error;
      if (fs::file_size(file, error) == 0 || error) {
        // An empty rank log can be the point of a directory case; an empty single log cannot.
        if (!inside.has_parent_path()) Error("", "R072", fmt::format("{} is empty", inside.string()));
      }
      ++(first.starts_with("fires") ? fires : silent);
    }
    if (fires == 0) Error("", "R070", "no fires*.log shows the rule at work", "add a log in which it must fire");
    if (silent == 0) {
      Error("", "R071", "no silent*.log shows a near miss", "add a log that looks alike and must not fire it");
    }
    if (fires > 0 && MustExpect(rule_)) Expectations();
  }

  // A warning: what a rule blames is best read from its first run (NCCLWHY_BLESS=1), which a rule with errors never
  // has.
  void Expectations() {
    std::vector<std::string> complaints;
    for (const RuleCase& test : FindRuleCases(rule_.id, rule_.file, &complaints)) {
      if (test.fires && !test.blames) complaints.push_back(test.name + " does not say whom it must blame");
    }
    for (const std::string& complaint : complaints) {
      out_->push_back(text_.At(Diagnostic::kWarning, "", "R074", complaint,
                               "expect.json beside rule.json: {\"fires-a\": {\"rank\": 3}, \"fires-b\": []}"));
    }
  }

  const Rule& rule_;
  const RuleText& text_;
  const LintOptions& options_;
  std::vector<Diagnostic>* out_;
};

// Checks that need all rules at once.
void LintTogether(const std::vector<std::pair<Rule, RuleText>>& all, const LintOptions& options,
                  std::vector<Diagnostic>* out) {
  std::map<std::string_view, std::string_view> file_of;
  for (const auto& [rule, text] : all) {
    const auto [it, inserted] = file_of.try_emplace(rule.id, rule.file);
    if (!inserted) {
      out->push_back(
          text.At(Diagnostic::kError, "/id", "R011", fmt::format("the id \"{}\" is taken by {}", rule.id, it->second)));
    }
  }
  const auto names_a_rule = [&](std::string_view glob) {
    return std::any_of(all.begin(), all.end(), [&](const auto& other) { return GlobMatches(glob, other.first.id); }) ||
           std::any_of(options.further_rules.begin(), options.further_rules.end(),
                       [&](const std::string& id) { return GlobMatches(glob, id); });
  };
  for (const auto& [rule, text] : all) {
    const RuleText& own = text;
    const auto look_at = [&](std::string_view need, const std::string& at) {
      if (IsViewNeed(need) || IsTextNeed(need) || IsEventKind(need) || names_a_rule(need)) return;
      out->push_back(
          own.At(Diagnostic::kWarning, at, "R052", fmt::format("no kind of event and no rule is called \"{}\"", need)));
    };
    for (size_t i = 0; i < rule.needs.size(); ++i) look_at(rule.needs[i], fmt::format("/needs/{}", i));
    for (size_t i = 0; i < rule.needs_each.size(); ++i) {
      AnyAlternative(rule.needs_each[i], [&](std::string_view need) {
        look_at(need, fmt::format("/needs_each/{}", i));
        return false;
      });
    }
    for (size_t i = 0; i < rule.explains.size(); ++i) {
      const std::string_view glob = rule.explains[i];
      if (!names_a_rule(glob)) {
        out->push_back(text.At(Diagnostic::kWarning, fmt::format("/explains/{}", i), "R050",
                               fmt::format("no rule is called \"{}\"", glob)));
      }
    }
  }
}

// Logs whose rule.json was forgotten.
void LintOrphans(const fs::path& directory, const std::vector<fs::path>& files, std::vector<Diagnostic>* out) {
  std::set<std::string> reported;
  for (const fs::path& file : files) {
    fs::path entry = file;
    if (IsCaseName(file.parent_path().filename().string())) entry = file.parent_path();
    if (!IsCaseName(entry.filename().string())) continue;
    const fs::path folder = entry.parent_path();
    std::error_code error;
    if (folder == directory || fs::exists(folder / "rule.json", error)) continue;
    if (!reported.insert(folder.generic_string()).second) continue;
    out->push_back({Diagnostic::kError,
                    folder.generic_string(),
                    0,
                    0,
                    "R003",
                    "a folder with logs, but without rule.json",
                    {},
                    {}});
  }
}

}  // namespace

void LintRule(const Rule& rule, const RuleText& text, const LintOptions& options,
              std::vector<Diagnostic>* diagnostics) {
  RuleLint(rule, text, options, diagnostics).Run();
}

std::vector<Rule> LoadCatalog(const std::string& directory, const LintOptions& options,
                              std::vector<Diagnostic>* diagnostics) {
  std::vector<Diagnostic> found;
  std::vector<std::pair<Rule, RuleText>> all;
  const std::vector<fs::path> files = WalkFiles(directory);
  // A rule with an error is left out below, but lint goes on: an author wants all complaints at once.
  for (const fs::path& file : files) {
    if (file.filename() != "rule.json") continue;
    const std::string name = file.generic_string();
    std::string content;
    if (!ReadFile(file, &content)) {
      found.push_back({Diagnostic::kError, name, 0, 0, "R001", "the file cannot be read", {}, {}});
      continue;
    }
    RuleText text(name, std::move(content));
    if (auto rule = ParseRule(text, &found)) {
      LintRule(*rule, text, options, &found);
      all.emplace_back(std::move(*rule), std::move(text));
    }
  }
  if (all.empty() && found.empty()) {
    found.push_back(
        {Diagnostic::kError, directory, 0, 0, "R001", "there is no rule.json below this directory", {}, {}});
  }
  LintTogether(all, options, &found);
  LintOrphans(directory, files, &found);

  std::stable_sort(found.begin(), found.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.file, a.line, a.column, a.code) < std::tie(b.file, b.line, b.column, b.code);
  });
  std::set<std::string_view> broken;
  for (const Diagnostic& d : found) {
    if (d.level == Diagnostic::kError) broken.insert(d.file);
  }
  std::vector<Rule> rules;
  for (auto& [rule, text] : all) {
    if (broken.count(rule.file) == 0) rules.push_back(std::move(rule));
  }
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
  if (diagnostics != nullptr) diagnostics->insert(diagnostics->end(), found.begin(), found.end());
  return rules;
}

// By the form of the files alone; kb's own checks say what is wrong with them.
CauseSet ReadCauseIds(const std::string& directory) {
  CauseSet ids;
  for (const fs::path& file : WalkFiles(directory)) {
    std::string content;
    if (file.extension() != ".json" || !ReadFile(file, &content)) continue;
    const nlohmann::json root = nlohmann::json::parse(content, nullptr, /*allow_exceptions=*/false);
    if (!root.is_object() || !root.contains("causes") || !root["causes"].is_array()) continue;
    for (const auto& cause : root["causes"]) {
      if (cause.is_object() && cause.contains("id") && cause["id"].is_string())
        ids.insert(cause["id"].get<std::string>());
    }
  }
  return ids;
}

}  // namespace ncclwhy
