#include "store/add_results.h"

#include <fmt/format.h>

#include "rules/engine/vocabulary.h"
#include "store/json_text.h"

namespace ncclwhy {
namespace {

std::string WeightsJson(const std::vector<Weight>& weights) {
  std::string out = "{";
  for (const Weight& weight : weights) {
    if (out.size() > 1) out += ',';
    AppendJsonString(weight.cause, &out);
    out += fmt::format(":{:g}", weight.log_odds);
  }
  return out + "}";
}

// Source, line and text, all NULL when the place is not known.
void BindPlace(Insert& insert, const Place& place) {
  if (place.line == 0 || !place.source.valid()) {
    insert.Null().Null().Null();
  } else {
    insert.Integer(place.source.value).Integer(place.line).TextOrNull(place.text);
  }
}

// The cause that a finding speaks for most.
const Weight* Strongest(const std::vector<Weight>& weights) {
  const Weight* best = nullptr;
  for (const Weight& weight : weights) {
    if (best == nullptr || weight.log_odds > best->log_odds) best = &weight;
  }
  return best;
}

}  // namespace

Status AddFindingRows(Database& database, const RuleSet& rules, const std::vector<Finding>& findings) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _finding VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const Finding& f : findings) {
    const bool known = f.rule.valid() && f.rule.value < rules.rules().size();
    const Weight* best = Strongest(f.causes);
    const std::string causes = WeightsJson(f.causes);
    const std::string fields = JsonObject(f.fields);
    insert.Text(known ? rules.rule(f.rule).id : f.message).Text(WordOf(kRoleWords, f.role));
    best == nullptr ? insert.Null().Null() : insert.Text(best->cause).Real(best->log_odds);
    insert.Text(causes);
    f.source.valid() ? insert.Integer(f.source.value) : insert.Null();
    insert.IntegerOrNull(f.line, 0);
    f.process.valid() ? insert.Integer(f.process.value) : insert.Null();
    insert.IntegerOrNull(f.rank).TextOrNull(f.host).TextOrNull(f.text).Integer(static_cast<int64_t>(f.repeats));
    insert.Text(fields);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status AddDifferenceRows(Database& database, const std::vector<RankDifference>& differences) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _difference VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const RankDifference& d : differences) {
    const bool shared = d.groups.size() == 1;  // a value that ranks must not share
    const auto words = [&](Language language) {
      return shared ? DescribeRanks(d.groups[0].ranks, language) : DescribeGroups(d.groups, language);
    };
    const std::string english = words(Language::kEnglish);
    const std::string chinese = words(Language::kChinese);
    int64_t ranks = 0;
    int64_t set_values = 0;
    for (const ValueGroup& group : d.groups) {
      ranks += static_cast<int64_t>(group.ranks.size());
      set_values += group.value.empty() ? 0 : 1;
    }
    const RankRef& first = d.groups.front().ranks.front();
    insert.Text(d.kind).Text(d.name).Text(english).Text(chinese);
    insert.Integer(static_cast<int64_t>(d.groups.back().ranks.size())).Integer(ranks).Integer(set_values);
    insert.Integer(d.must_agree).IntegerOrNull(first.rank).TextOrNull(first.host);
    BindPlace(insert, d.place);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status AddSettingRows(Database& database, const JobModel& model, const std::vector<DoubtfulSetting>& settings) {
  auto prepared =
      Insert::Prepare(database, "INSERT INTO _doubtful_setting VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const DoubtfulSetting& s : settings) {
    insert.Text(s.variable).Text(s.value).Text(s.problem).TextOrNull(s.nearest).TextOrNull(s.first).TextOrNull(s.last);
    insert.TextOrNull(s.replaced_by).TextOrNull(s.values_en).TextOrNull(s.values_zh);
    insert.TextOrNull(s.text_en).TextOrNull(s.text_zh);
    s.process.valid() && s.process.value < model.processes.size() ? insert.Integer(s.process.value) : insert.Null();
    BindPlace(insert, s.place);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status AddComparisonRows(Database& database, const JobModel& model, const JobComparison& comparison) {
  Status status = AddDifferenceRows(database, comparison.differences);
  return status.ok() ? AddSettingRows(database, model, comparison.settings) : status;
}

}  // namespace ncclwhy
