#include "rules/engine/embedded_rules.h"

#include <string>
#include <vector>

namespace ncclwhy::embedded {
namespace {

template <typename T>
std::vector<T> FromMask(uint32_t mask) {
  std::vector<T> values;
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((mask >> bit & 1U) != 0) values.push_back(static_cast<T>(bit));
  }
  return values;
}

class Copier {
 public:
  explicit Copier(const Tables& tables) : t_(tables) {}

  Rule CopyRule(const RuleRow& row) const {
    Rule rule;
    rule.id = row.id;
    rule.family = row.family;
    rule.file = row.file;
    rule.role = row.role;
    rule.patterns.reserve(row.patterns.count);
    for (const PatternRow& pattern : t_.patterns.subspan(row.patterns.begin, row.patterns.count)) {
      rule.patterns.push_back(CopyPattern(pattern));
    }
    rule.query = row.query;
    rule.min_processes = row.min_processes;
    rule.needs = Strings(row.needs);
    rule.min_needs = row.min_needs;
    rule.nccl = {row.first_version, row.last_version};
    rule.needs_version = row.needs_version;
    rule.causes = Weights(row.causes);
    rule.near = Conditions(row.near);
    rule.unless = Conditions(row.unless);
    rule.boost = Conditions(row.boost);
    rule.explains = Strings(row.explains);
    rule.blame = row.blame;
    rule.sign = row.sign;
    rule.healthy_only = row.healthy_only;
    rule.last_resort = row.last_resort;
    rule.degrades = row.degrades;
    rule.covered_by = Strings(row.covered_by);
    const std::vector<std::string> steps = Strings(row.collect);
    for (size_t i = 0; i + 2 < steps.size(); i += 3) rule.collect.push_back({steps[i], steps[i + 1], steps[i + 2]});
    rule.fixed_in = row.fixed_in;
    rule.fix_en = row.fix_en;
    rule.fix_zh = row.fix_zh;
    rule.fix_command = row.fix_command;
    rule.recurs = row.recurs;
    rule.title_en = row.title_en;
    rule.title_zh = row.title_zh;
    rule.note_en = row.note_en;
    rule.note_zh = row.note_zh;
    rule.fields.reserve(row.fields.count);
    for (const FieldRow& field : t_.fields.subspan(row.fields.begin, row.fields.count)) {
      rule.fields.emplace_back(field.name, field.value);
    }
    rule.references = Strings(row.references);
    return rule;
  }

 private:
  std::vector<std::string> Strings(Range range) const {
    const auto rows = t_.strings.subspan(range.begin, range.count);
    return {rows.begin(), rows.end()};
  }
  std::vector<Weight> Weights(Range range) const {
    std::vector<Weight> weights;
    weights.reserve(range.count);
    for (const WeightRow& row : t_.weights.subspan(range.begin, range.count)) {
      weights.push_back({std::string(row.cause), row.log_odds});
    }
    return weights;
  }
  LinePattern CopyPattern(const PatternRow& row) const {
    LinePattern pattern;
    pattern.literals = Strings(row.literals);
    pattern.regex = row.regex;
    pattern.levels = FromMask<LogLevel>(row.levels);
    pattern.dialects = FromMask<Dialect>(row.dialects);
    pattern.file = row.file;
    return pattern;
  }
  std::vector<Condition> Conditions(Range range) const {
    std::vector<Condition> conditions;
    conditions.reserve(range.count);
    for (const ConditionRow& row : t_.conditions.subspan(range.begin, range.count)) {
      Condition condition;
      condition.pattern = CopyPattern(t_.patterns[row.pattern]);
      condition.scope = row.scope;
      condition.within = row.within;
      condition.before_only = row.before_only;
      condition.after_only = row.after_only;
      condition.causes = Weights(row.causes);
      conditions.push_back(std::move(condition));
    }
    return conditions;
  }

  const Tables& t_;
};

}  // namespace

std::vector<Rule> Materialize(const Tables& tables) {
  const Copier copier(tables);
  std::vector<Rule> rules;
  rules.reserve(tables.rules.size());
  for (const RuleRow& row : tables.rules) rules.push_back(copier.CopyRule(row));
  return rules;
}

}  // namespace ncclwhy::embedded
