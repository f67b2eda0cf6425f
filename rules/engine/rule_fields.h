// What of a rule is embedded in the program: one description, which serves writing (embed_rules.cc) and reading
// (rule_list.cc). A new member of Rule is one word here.
#pragma once

#include "base/field_coding.h"
#include "parser/enum_ends.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

template <>
inline constexpr uint64_t kLast<Role> = static_cast<uint64_t>(Role::kWarning);
template <>
inline constexpr uint64_t kLast<Scope> = static_cast<uint64_t>(Scope::kJob);
template <>
inline constexpr uint64_t kLast<Blame> = static_cast<uint64_t>(Blame::kField);
template <>
inline constexpr uint64_t kLast<Life> = static_cast<uint64_t>(Life::kPreface);
template <>
inline constexpr uint64_t kLast<Ending> = static_cast<uint64_t>(Ending::kStopped);
template <>
inline constexpr uint64_t kLast<SignOf> = static_cast<uint64_t>(SignOf::kJob);

void Fields(auto& v, Is<Sign> auto& x) { v(x.life, x.how, x.of, x.late, x.suite); }

void Fields(auto& v, Is<Weight> auto& x) { v(x.cause, x.log_odds); }

void Fields(auto& v, Is<LinePattern> auto& x) { v(x.literals, x.regex, x.levels, x.dialects, x.file); }

void Fields(auto& v, Is<Condition> auto& x) { v(x.pattern, x.scope, x.within, x.before_only, x.after_only, x.causes); }

void Fields(auto& v, Is<CollectStep> auto& x) { v(x.what_en, x.what_zh, x.command); }

void Fields(auto& v, Is<VersionRange> auto& x) { v(x.first, x.last); }

// In any order, as writer and reader are built together: no version is needed.
void Fields(auto& v, Is<Rule> auto& x) {
  v(x.id, x.family, x.file, x.role, x.patterns, x.query, x.min_processes, x.needs, x.min_needs, x.needs_each, x.nccl,
    x.needs_version, x.causes, x.near, x.unless, x.boost, x.explains, x.blame, x.sign, x.last_resort, x.says_why,
    x.healthy_only, x.between_hosts, x.open_end_only, x.degrades, x.contradicts, x.covered_by, x.collect, x.headline_en,
    x.headline_zh, x.fixed_in, x.fix_en, x.fix_zh, x.fix_command, x.tells, x.recurs, x.title_en, x.title_zh, x.note_en,
    x.note_zh, x.follows_en, x.follows_zh, x.fields, x.references);
}

}  // namespace ncclwhy
