// The rule loader: any text is a rule or is refused with a diagnostic; a rule that is accepted can be matched.
#include <filesystem>
#include <string>

#include "fuzz/check.h"
#include "fuzz/scratch.h"
#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "read/digest.h"
#include "rules/engine/lint.h"
#include "rules/engine/loader.h"
#include "rules/engine/rule_set.h"
#include "rules/engine/rule_text.h"

namespace ncclwhy::fuzz {
namespace {

constexpr std::string_view kLog =
    "node1:100:101 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
    "node1:100:101 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-a to 9637892 bytes, "
    "error: No space left on device (28)\n"
    "[rank0]: RuntimeError: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n"
    "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n";

void CheckDiagnostics(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    FUZZ_CHECK(!d.message.empty());
    FUZZ_CHECK(!d.code.empty());
    FUZZ_CHECK(!FormatDiagnostic(d).empty());
  }
}

// A folder is named as its rule, so that lint goes on to the rest.
std::string FolderOf(const std::string& id) {
  const bool plain = !id.empty() && id.size() < 100 &&
                     id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  return plain ? id : "rule";
}

void Match(std::string_view rule, const std::string& id) {
  const std::string root = Scratch::Get().root() + "/catalog";
  std::error_code ignored;
  std::filesystem::remove_all(root, ignored);
  const std::string folder = "catalog/family/" + FolderOf(id);
  (void)Scratch::Get().Write(folder + "/rule.json", rule);
  (void)Scratch::Get().Write(folder + "/fires-case.log", kLog);
  std::vector<Diagnostic> diagnostics;
  static const CauseSet causes = {"shm.too-small", "net.wrong-interface", "env.bad-value", "app.rank-crashed"};
  LintOptions lint;
  lint.causes = &causes;
  (void)LoadCatalog(root, lint, &diagnostics);
  CheckDiagnostics(diagnostics);
  diagnostics.clear();
  const std::unique_ptr<RuleSet> rules = RuleSet::LoadOnly(root, &diagnostics);
  CheckDiagnostics(diagnostics);
  FUZZ_CHECK(rules != nullptr);
  FUZZ_CHECK(!rules->rules().empty() || HasErrors(diagnostics));
  if (rules->rules().empty()) return;
  DigestBuilder builder("job.log", *rules, KnowledgeBase::Embedded());
  builder.Push(kLog);
  const SourceDigest digest = builder.Finish();
  const SourceHits* hits[] = {&digest.hits};
  std::vector<std::string> problems;
  (void)rules->Resolve(BuildJobModel({&digest.facts}), KnowledgeBase::Embedded(), hits, {}, {}, &problems);
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  const std::string_view input = fuzz::View(data, size);
  std::vector<Diagnostic> diagnostics;
  const std::optional<Rule> rule =
      ParseRule(RuleText("catalog/family/rule/rule.json", std::string(input)), &diagnostics);
  fuzz::CheckDiagnostics(diagnostics);
  FUZZ_CHECK(rule.has_value() || HasErrors(diagnostics));
  if (rule) fuzz::Match(input, rule->id.str());
  return 0;
}
