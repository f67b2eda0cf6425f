#include "store/add_results.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/vocabulary.h"
#include "store/json_text.h"
#include "store/row_writer.h"

namespace ncclwhy {
namespace {

// {"ib.retry-exceeded":2.5,"net.unreachable":0.8}, for json_each: a query can ask for one of them.
std::string WeightsJson(const std::vector<Weight>& weights) {
  std::string out = "{";
  for (const Weight& weight : weights) {
    if (out.size() > 1) out += ',';
    AppendJsonString(weight.cause, &out);
    out += fmt::format(":{:g}", weight.log_odds);
  }
  return out + "}";
}

// The cause that a finding speaks for most.
// Null for a finding that is only told (a symptom, a fact about the job). Of equal ones the first.
const Weight* Strongest(const std::vector<Weight>& weights) {
  const Weight* best = nullptr;
  for (const Weight& weight : weights) {
    if (best == nullptr || weight.log_odds > best->log_odds) best = &weight;
  }
  return best;
}

}  // namespace

Status AddFindingRows(Database& database, const RuleSet& rules, const std::vector<Finding>& findings) {
  RowWriter rows(database, "_finding");
  for (const Finding& f : findings) {
    // Findings that the program makes by itself have no rule; their message says what they are.
    const bool known = f.rule.valid() && f.rule.value < rules.rules().size();
    const Weight* best = Strongest(f.causes);
    Status status =
        rows.Add("rule", known ? std::string_view(rules.rule(f.rule).id) : f.message, "role",
                 WordOf(kRoleWords, f.role), "cause?", best == nullptr ? KeptText() : best->cause, "log_odds",
                 best == nullptr ? std::nullopt : std::optional(best->log_odds), "causes", WeightsJson(f.causes),
                 "source", f.source, "line?", f.line, "process", f.process, "rank?", f.rank, "host?", f.host, "text?",
                 f.text, "repeats", f.repeats, "fields", JsonObject(f.fields));
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status AddDifferenceRows(Database& database, const std::vector<RankDifference>& differences) {
  RowWriter rows(database, "_difference");
  for (const RankDifference& d : differences) {
    const bool shared = d.groups.size() == 1;  // a value that ranks must not share
    const auto words = [&](Language language) {
      return shared ? DescribeRanks(d.groups[0].ranks, language) : DescribeGroups(d.groups, language);
    };
    int64_t ranks = 0;
    int64_t set_values = 0;
    for (const ValueGroup& group : d.groups) {
      ranks += static_cast<int64_t>(group.ranks.size());
      set_values += group.value.empty() ? 0 : 1;
    }
    // Groups come with the odd ones first, so what a row points at is a line of a rank that differs.
    const RankRef& first = d.groups.front().ranks.front();
    Status status = rows.Add("kind", d.kind, "name", d.name, "groups_en", words(Language::kEnglish), "groups_zh",
                             words(Language::kChinese), "common", d.groups.back().ranks.size(), "ranks", ranks,
                             "set_values", set_values, "must_agree", d.must_agree, "rank?", first.rank, "host?",
                             first.host, "source", SourceOf(d.place), "line?", d.place.line, "text?", d.place.text);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status AddSettingRows(Database& database, const JobModel& model, const std::vector<DoubtfulSetting>& settings) {
  RowWriter rows(database, "_doubtful_setting");
  for (const DoubtfulSetting& s : settings) {
    const bool known = s.process.valid() && s.process.value < model.processes.size();
    Status status =
        rows.Add("variable", s.variable, "value", s.value, "problem", s.problem, "nearest?", s.nearest, "first?",
                 s.first, "last?", s.last, "replaced_by?", s.replaced_by, "values_en?", s.values_en, "values_zh?",
                 s.values_zh, "text_en?", s.text_en, "text_zh?", s.text_zh, "process", known ? s.process : ProcessId{},
                 "source", SourceOf(s.place), "line?", s.place.line, "text?", s.place.text);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status AddComparisonRows(Database& database, const JobModel& model, const JobComparison& comparison) {
  Status status = AddDifferenceRows(database, comparison.differences);
  return status.ok() ? AddSettingRows(database, model, comparison.settings) : status;
}

}  // namespace ncclwhy
