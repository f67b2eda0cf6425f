// The tables that the build makes of rules/catalog (see embed_rules.cc): nothing of it is parsed at start-up.
//
// A list is a range of one shared array; rules and patterns are in the order of RuleSet::rules() and of the global
// pattern numbers (see pattern_table.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rules/engine/literal_index.h"
#include "rules/engine/rule.h"

namespace ncclwhy::embedded {

struct Range {
  uint32_t begin = 0;
  uint32_t count = 0;
};

struct WeightRow {
  std::string_view cause;
  double log_odds;
};

struct FieldRow {
  std::string_view name;
  std::string_view value;
};

struct PatternRow {
  Range literals;  // of strings
  std::string_view regex;
  uint32_t levels;    // bit n = LogLevel n; 0 = any
  uint32_t dialects;  // bit n = Dialect n; 0 = any
  std::string_view file;
};

struct ConditionRow {
  uint32_t pattern;
  Scope scope;
  uint32_t within;
  bool before_only;
  bool after_only;
  Range causes;  // of weights
};

struct RuleRow {
  std::string_view id, family, file;
  Role role;
  Range patterns;
  std::string_view query;
  uint32_t min_processes;
  Range needs;  // of strings
  uint32_t min_needs;
  int32_t first_version, last_version;
  bool needs_version;
  Range causes;
  Range near, unless, boost;  // of conditions
  Range explains;             // of strings
  Blame blame;
  Sign sign;
  bool last_resort, healthy_only, degrades;
  Range covered_by;  // of strings
  Range collect;     // of strings, three a step: English, Chinese, command
  std::string_view fixed_in, fix_en, fix_zh, fix_command;
  bool recurs;
  std::string_view title_en, title_zh, note_en, note_zh;
  Range fields;
  Range references;  // of strings
};

struct Tables {
  std::span<const RuleRow> rules;
  std::span<const PatternRow> patterns;
  std::span<const ConditionRow> conditions;
  std::span<const WeightRow> weights;
  std::span<const FieldRow> fields;
  std::span<const std::string_view> strings;
  LiteralTables literals;
};

// Defined in the generated source.
extern const Tables kTables;

// The rules of `tables` in memory: copies strings, parses nothing.
std::vector<Rule> Materialize(const Tables& tables);

}  // namespace ncclwhy::embedded
