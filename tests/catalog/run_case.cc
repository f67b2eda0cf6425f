#include "run_case.h"

#include <memory>
#include <utility>

#include "analyze/analyzer.h"
#include "kb/loader/kb.h"
#include "read/read_sources.h"
#include "store/store.h"

namespace ncclwhy {

Result<CaseRun> RunCase(const RuleSet& rules, const std::vector<std::string>& files, std::string_view rule) {
  std::vector<SourceSpec> specs;
  // Without the directory: results must not depend on where the tree lies.
  for (const std::string& file : files) specs.push_back({file, file.substr(file.rfind('/') + 1)});
  std::vector<std::string> problems;
  ReadOptions options;
  options.jobs = 1;
  const std::vector<SourceDigest> digests = ReadSources(specs, rules, KnowledgeBase::Embedded(), options, &problems);
  if (!problems.empty()) return Status::Io(problems.front());
  CaseRun run;
  for (const SourceDigest& digest : digests) {
    for (const Hit& hit : digest.hits.hits) run.hit_patterns.push_back(hit.pattern);
  }
  auto timeline = OpenTimeline("");
  if (!timeline.ok()) return timeline.status();
  run.found.findings = FindAll(digests, rules, KnowledgeBase::Embedded(), *timeline.value(), &run.problems);
  if (!rule.empty()) {
    run.found.culprits = CulpritsOfRule(digests, rules, KnowledgeBase::Embedded(), run.found.findings, rule);
  }
  return run;
}

}  // namespace ncclwhy
