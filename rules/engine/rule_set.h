// RuleSet: all rules, checked and ready to match. Immutable after Load; share it between threads.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "ncclwhy/status.h"
#include "parser/parser.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/engine/rule_list.h"

namespace ncclwhy {

// A row of an answer, columns in the order of the SELECT, values as text.
struct QueryRow {
  std::vector<std::pair<std::string, std::string>> columns;  // NULL columns are left out
};
// Runs one SELECT over the timeline's public views; implemented by the store.
using QueryRunner = std::function<Result<std::vector<QueryRow>>(std::string_view sql)>;

// Told what pattern rules found before the first query rule runs (so that queries can read the view `finding`), and
// then what the query rules found.
using FindingSink = std::function<void(const std::vector<Finding>&)>;

// Words of IsViewNeed.
using ViewNames = std::set<std::string, std::less<>>;

class RuleSet {
 public:
  // The embedded rules. Made at the first call, by whichever thread comes first, and never destroyed.
  // Nothing is parsed, and no regex compiled: a rule is decoded when a log first needs it.
  static const RuleSet& Embedded();
  // The embedded rules plus those below `directories` (same id = override; a later directory wins). Broken rules are
  // refused with a diagnostic and left out; the others are there. The order of rules is that of their ids, so numbers
  // do not depend on directories.
  // Never null. `diagnostics` grows, errors and warnings.
  static std::unique_ptr<RuleSet> Load(const std::vector<std::string>& directories,
                                       std::vector<Diagnostic>* diagnostics);
  // Only the rules below `directory`, for lint and test.
  static std::unique_ptr<RuleSet> LoadOnly(const std::string& directory, std::vector<Diagnostic>* diagnostics);
  ~RuleSet();

  // By RuleId, sorted by id.
  const RuleList& rules() const;
  const Rule& rule(RuleId id) const { return rules()[id.value]; }
  // The rule of which the line is a match, conditions set aside; null when it is only the line of a condition. Valid as
  // long as the set.
  const Rule* RuleOf(const Hit& hit) const;
  // Numbers that Hit::pattern can have.
  size_t PatternCount() const;
  // Of what a Hit says: equal where the same lines make the same hits.
  // Written into digests (node_digest.h), which are refused where it differs.
  uint64_t Fingerprint() const;

  // A sink for one source: collects hits. Use one per source and thread; the rule set must outlive it.
  class Matcher : public LineSink {
   public:
    // Whether an NCCL line of this level and skeleton (parser/skeleton.h) may match; but for those with one of the
    // `words`, which it may add, in a hexadecimal number.
    virtual bool MayMatch(LogLevel level, std::string_view shape, std::vector<std::string>* words) const = 0;
    // All hits, in line order; once.
    virtual SourceHits Take() = 0;
    // Puts the hits of a later segment of the source (parser/segments.h), made by the same rule set, behind those so
    // far. `facts` are those of the source.
    virtual void Join(Matcher& segment, SegmentTranslation& in_source, SourceFacts& facts) = 0;
  };
  // Takes memory in proportion to the patterns, some dozens of bytes each.
  std::unique_ptr<Matcher> NewMatcher() const;

  // Conditions, versions and query rules over the whole job. `hits[i]` belongs to `model.sources[i]`. A query that
  // fails adds a sentence to `problems` and is skipped. `query` and `publish` may be empty: then query rules say
  // nothing. `views`: what has rows besides events (IsViewNeed of vocabulary.h).
  std::vector<Finding> Resolve(const JobModel& model, const KnowledgeBase& kb, std::span<const SourceHits* const> hits,
                               const QueryRunner& query, const FindingSink& publish, std::vector<std::string>* problems,
                               const ViewNames& views = {}) const;

 private:
  RuleSet();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy
