// Knowledge: what jobs are judged by. Rules and the knowledge base: those inside the program, or with what directories
// add to them or override.
#pragma once

#include <memory>

#include "kb/loader/kb.h"
#include "ncclwhy/analyzer.h"
#include "ncclwhy/status.h"
#include "rules/engine/rule_set.h"
#include "store/incident_index.h"

namespace ncclwhy {

// What is loaded is checked: an error in one rule or cause of a directory refuses the whole of it.
// Thread safety: immutable; share it.
class Knowledge {
 public:
  // Of the directories in `options`; fails when one of them cannot be used.
  static Result<Knowledge> Load(const AnalyzerOptions& options);
  // `rules` and `kb` are borrowed; null: those inside the program.
  explicit Knowledge(const RuleSet* rules = nullptr, const KnowledgeBase* kb = nullptr) : rules_(rules), kb_(kb) {
    if (kb_ != nullptr) own_incidents_ = std::make_unique<IncidentIndex>(*kb_);
  }

  // Rules are compiled when they are first asked for.
  const RuleSet& rules() const { return rules_ == nullptr ? RuleSet::Embedded() : *rules_; }
  const KnowledgeBase& kb() const { return kb_ == nullptr ? KnowledgeBase::Embedded() : *kb_; }
  // Of the incidents in kb().
  const IncidentSearch& incidents() const { return own_incidents_ ? *own_incidents_ : IncidentIndex::Embedded(); }

 private:
  std::unique_ptr<const RuleSet> own_rules_;
  std::unique_ptr<const KnowledgeBase> own_kb_;
  std::unique_ptr<const IncidentIndex> own_incidents_;
  const RuleSet* rules_;
  const KnowledgeBase* kb_;
};

}  // namespace ncclwhy
