// OwnRules: rules of a test's own, in a directory that vanishes with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/engine/rule_set.h"

namespace ncclwhy::hostile {

class OwnRules {
 public:
  // `count` rules whose pattern or query is `members`, e.g. "match": [{"literal": "x"}].
  OwnRules(size_t count, const std::string& members);
  ~OwnRules();
  OwnRules(const OwnRules&) = delete;
  OwnRules& operator=(const OwnRules&) = delete;

  const RuleSet& rules() const { return *rules_; }
  // What the loader said; a rule that is refused is not among the rules.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::string root_;
  std::vector<Diagnostic> diagnostics_;
  std::unique_ptr<RuleSet> rules_;
};

}  // namespace ncclwhy::hostile
