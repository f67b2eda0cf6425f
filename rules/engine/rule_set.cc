#include "rules/engine/rule_set.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "base/hash.h"
#include "rules/engine/embedded_rules.h"
#include "rules/engine/lint.h"
#include "rules/engine/literal_index.h"
#include "rules/engine/matcher.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/resolve.h"

namespace ncclwhy {

struct RuleSet::Impl {
  // A start with --rules pays for numbers and literals, one without has them from the build.
  explicit Impl(std::vector<Rule> all) : rules(std::move(all)), patterns(rules), literals(patterns.literals()) {}
  explicit Impl(const EmbeddedRules& embedded)
      : rules(embedded.rules, embedded.begins),
        patterns(rules, embedded.numbers, embedded.literals),
        literals(patterns.literals()) {}

  RuleList rules;
  PatternTable patterns;
  LiteralIndex literals;
  mutable std::atomic<uint64_t> fingerprint = 0;  // 0: not asked for yet. Threads may write it twice, the same value.
};

RuleSet::RuleSet() = default;
RuleSet::~RuleSet() = default;

const RuleSet& RuleSet::Embedded() {
  static const RuleSet* const set = [] {
    auto* made = new RuleSet();  // never destroyed: threads may still match while the process exits
    made->impl_ = std::make_unique<Impl>(kEmbeddedRules);
    return made;
  }();
  return *set;
}

std::unique_ptr<RuleSet> RuleSet::Load(const std::vector<std::string>& directories,
                                       std::vector<Diagnostic>* diagnostics) {
  std::map<std::string, Rule> by_id;
  for (const Rule& rule : Embedded().rules()) by_id.emplace(rule.id.str(), rule);
  for (const std::string& directory : directories) {
    LintOptions options;
    options.logs = false;  // a user's rule is used as it is; `rules lint` asks for its logs
    // A user's rule may explain, or need, one of the program's.
    for (const auto& known : by_id) options.further_rules.push_back(known.first);
    for (Rule& rule : LoadCatalog(directory, options, diagnostics)) by_id[rule.id.str()] = std::move(rule);
  }
  std::vector<Rule> rules;
  for (auto& [id, rule] : by_id) rules.push_back(std::move(rule));
  std::unique_ptr<RuleSet> set(new RuleSet());
  set->impl_ = std::make_unique<Impl>(std::move(rules));
  return set;
}

std::unique_ptr<RuleSet> RuleSet::LoadOnly(const std::string& directory, std::vector<Diagnostic>* diagnostics) {
  LintOptions options;
  options.logs = false;
  std::unique_ptr<RuleSet> set(new RuleSet());
  set->impl_ = std::make_unique<Impl>(LoadCatalog(directory, options, diagnostics));
  return set;
}

const RuleList& RuleSet::rules() const { return impl_->rules; }

const Rule* RuleSet::RuleOf(const Hit& hit) const {
  if (hit.pattern >= impl_->patterns.size()) return nullptr;
  // A condition's hit is evidence beside another one, never a finding of its own.
  const PatternEntry& entry = impl_->patterns.entry(hit.pattern);
  return entry.condition == nullptr ? &impl_->rules[entry.rule] : nullptr;
}

size_t RuleSet::PatternCount() const { return impl_->patterns.size(); }

uint64_t RuleSet::Fingerprint() const {
  uint64_t hash = impl_->fingerprint.load(std::memory_order_relaxed);
  if (hash != 0) return hash;
  const auto add = [&hash](std::string_view text) { hash = HashBytes(text, hash); };
  for (const Rule& rule : impl_->rules) {
    add(rule.id);
    VisitPatterns(rule, [&](const LinePattern& pattern, const Condition* condition) {
      for (const std::string_view literal : pattern.literals) add(literal);
      for (const LogLevel level : pattern.levels) add(LevelName(level));
      for (const Dialect dialect : pattern.dialects) add(DialectName(dialect));
      add(pattern.regex);
      add(pattern.file);
      if (condition == nullptr) return;
      // Where a condition may hold decides which of its hits are kept.
      const uint64_t place = static_cast<uint64_t>(condition->scope) << 34 | uint64_t{condition->within} << 2;
      hash = Mix64(hash ^ (place | uint64_t{condition->before_only} << 1 | uint64_t{condition->after_only}));
    });
    // How many hits are kept (pattern_table.cc).
    hash = Mix64(hash ^ (static_cast<uint64_t>(rule.sign.life) << 8 | static_cast<uint64_t>(rule.sign.of)));
    hash = Mix64(hash ^ (static_cast<uint64_t>(rule.role) << 1 | uint64_t{!rule.query.empty()}));
  }
  impl_->fingerprint.store(hash, std::memory_order_relaxed);
  return hash;
}

std::unique_ptr<RuleSet::Matcher> RuleSet::NewMatcher() const {
  return std::make_unique<RuleMatcher>(impl_->patterns, impl_->literals);
}

std::vector<Finding> RuleSet::Resolve(const JobModel& model, const KnowledgeBase& kb,
                                      std::span<const SourceHits* const> hits, const QueryRunner& query,
                                      const FindingSink& publish, std::vector<std::string>* problems,
                                      const ViewNames& views) const {
  return ResolveFindings(impl_->rules, impl_->patterns, kb, model, hits, query, publish, problems, views);
}

}  // namespace ncclwhy
