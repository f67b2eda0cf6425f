// NCCL's error classes ("unhandled system error") stand in every failing program's log and say nothing of the cause: a
// line that does must keep the word, whichever of the two comes first.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "catch.h"
#include "ncclwhy/analyzer.h"
#include "rules/engine/rule_set.h"
#include "rules/engine/rule_test.h"

namespace ncclwhy {
namespace {

const std::string kTorch = "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, ";
const std::array<std::string, 6> kClasses = {
    "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)\n",
    kTorch +
        "unhandled system error (run with NCCL_DEBUG=INFO for details)\nncclSystemError: System call (e.g. socket, "
        "malloc) or external library call failed or device error.\n",
    kTorch +
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details)\nncclUnhandledCudaError: Call to CUDA "
        "function failed.\n",
    kTorch +
        "invalid usage (run with NCCL_DEBUG=WARN for details)\nncclInvalidUsage: This usually reflects invalid "
        "usage of NCCL library.\n",
    kTorch +
        "internal error - please report this issue to the NCCL developers\nncclInternalError: Internal check "
        "failed.\n",
    kTorch +
        "remote process exited or there was a network error\nncclRemoteError: A call failed possibly due to a "
        "network error or a remote process exiting prematurely.\n"};
const std::array<std::string, 5> kNames = {"unhandled system error", "unhandled cuda error", "invalid usage",
                                           "internal error", "remote process exited"};

// Rules that a class is a part of, or takes the word from, by their own conditions: the exception of a rank that NCCL
// had failed before is no cause, a step that was cancelled after a failure neither; a step that waits for its nodes
// has no NCCL behind it; "only" is for want of anything else.
const std::set<std::string> kForWantOfBetter = {
    "elastic-exit-sigabrt-alone", "ib-gdr-off-only",       "k8s-launch-only", "python-exception",
    "python-missing-file",        "shell-command-missing", "slurm-step-busy", "stopped-step-cancelled"};

std::string FirstCause(const std::string& log) {
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Append("job.log", log).ok());
  const Report report = analyzer->Finish().take();
  return report.causes.empty() ? "" : report.causes[0].id;
}

std::string TextOf(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  std::string out = text.str();
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

// All classes in both orders where NCCLWHY_ALL_CLASSES is set; else one combination for each rule, another for the
// next.
TEST_CASE("a line that tells the cause beats NCCL's error class", "[catalog][bare]") {
  std::vector<Diagnostic> diagnostics;
  const auto rules = RuleSet::LoadOnly(std::string(NCCLWHY_SOURCE_DIR) + "/rules/catalog", &diagnostics);
  const bool all = std::getenv("NCCLWHY_ALL_CLASSES") != nullptr;
  size_t next = 0;
  size_t tried = 0;
  for (const Rule& rule : rules->rules()) {
    if (rule.role != Role::kRoot || rule.patterns.empty() || kForWantOfBetter.count(rule.id.str()) != 0) continue;
    if (rule.last_resort) continue;  // good only where nothing else is known, a class is
    for (const RuleCase& test : FindRuleCases(rule.id, rule.file)) {
      if (!test.fires || test.files.size() != 1) continue;
      const std::string log = TextOf(test.files[0]);
      const bool has_class = std::any_of(kNames.begin(), kNames.end(),
                                         [&](const std::string& name) { return log.find(name) != std::string::npos; });
      const auto speaks_for = [&](const std::string& cause) {
        return std::any_of(rule.causes.begin(), rule.causes.end(), [&](const Weight& w) { return w.cause == cause; });
      };
      if (has_class || !speaks_for(FirstCause(log))) break;
      for (size_t i = 0; i < (all ? 2 * kClasses.size() : 1); ++i) {
        const size_t which = all ? i : next++ % (2 * kClasses.size());
        const std::string& line = kClasses[which / 2];
        const std::string first = FirstCause(which % 2 == 0 ? line + log : log + line);
        INFO(rule.id << ", class " << (which % 2 == 0 ? "before: " : "behind: ") << line << "first cause: " << first);
        CHECK(speaks_for(first));
        ++tried;
      }
      break;
    }
  }
  CHECK(tried > 300);
}

TEST_CASE("a line that tells the cause beats the bare ending that it is", "[catalog][bare]") {
  const std::string glog = "F0302 08:01:12.100000 4711 pool.cc:79] Check failed: ";
  CHECK(FirstCause(glog + "pool_ Failed to register memory region\n") == "ib.memory-registration");
  CHECK(FirstCause(glog + "error == cudaSuccess (700 vs. 0)\n") == "gpu.illegal-access");
  CHECK(FirstCause(glog + "batch.size() == expected\n") == "app.rank-crashed");
}

TEST_CASE("an exception is the answer only if no rule reads what it carries", "[catalog][bare]") {
  CHECK(FirstCause("OSError: [Errno 24] Too many open files\n") == "host.fd-limit");
  CHECK(
      FirstCause("subprocess.CalledProcessError: Command '['python', 'train.py']' died with <Signals.SIGBUS: 7>.\n") !=
      "app.rank-crashed");
  CHECK(FirstCause("KeyError: 'lm_head.weight'\n") == "app.rank-crashed");
}

}  // namespace
}  // namespace ncclwhy
