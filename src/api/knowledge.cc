#include "api/knowledge.h"

#include <string>
#include <utility>
#include <vector>

namespace ncclwhy {
namespace {

std::string Sentence(const Diagnostic& d) {
  std::string out = d.file;
  if (d.line > 0) out += ":" + std::to_string(d.line);
  out += ": " + d.code + " " + d.message;
  return out;
}

}  // namespace

Result<Knowledge> Knowledge::Load(const AnalyzerOptions& options) {
  Knowledge out;
  for (const auto* directories : {&options.kb_directories, &options.rule_directories}) {
    for (const std::string& directory : *directories) {
      // To the system the path would end there.
      if (directory.find('\0') != std::string::npos) return Status::InvalidArgument("a NUL byte in a path");
    }
  }
  // With a directory that overrides messages, an index of its own: that inside the program has the embedded texts.
  if (!options.kb_directories.empty()) {
    Result<std::unique_ptr<KnowledgeBase>> kb = KnowledgeBase::Load(options.kb_directories);
    if (!kb.ok()) return kb.status();
    out.own_kb_ = kb.take();
    out.kb_ = out.own_kb_.get();
    out.own_incidents_ = std::make_unique<IncidentIndex>(*out.kb_);
  }
  if (!options.rule_directories.empty()) {
    std::vector<Diagnostic> diagnostics;
    out.own_rules_ = RuleSet::Load(options.rule_directories, &diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) {
      // Warnings of a rule are for `ncclwhy rules lint`; here only what makes it useless counts.
      if (diagnostic.level == Diagnostic::kError) return Status::Corrupt(Sentence(diagnostic));
    }
    if (!out.own_rules_) return Status::Corrupt("the rules cannot be used");
    out.rules_ = out.own_rules_.get();
  }
  return out;
}

}  // namespace ncclwhy
