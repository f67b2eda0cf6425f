#include "analyze/strangers.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "job/thread_stack.h"

namespace ncclwhy {
namespace {

// How names of Python's processes begin, as the kernel shows them: PyTorch's threads, Ray's actors, vLLM's.
constexpr std::string_view kPythons[] = {
    "python",  "pt_",     "ray",     "Ray",      "torch", "VLLM", "vllm", "sglang", "train", "deepspeed", "accelerate",
    "ipython", "jupyter", "uvicorn", "gunicorn", "mpi",   "srun", "nccl", "cuda",   "[",     "<"};

// "blender" of `pid=2990, name=blender, Graphics …`; empty without.
std::string_view ProgramIn(std::string_view text) {
  constexpr std::string_view kName = ", name=";
  const size_t at = text.find(kName);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kName.size());
  return text.substr(0, text.find_first_of(", \n"));
}

bool IsPython(const JobModel& model) {
  const auto of_python = [](const Event& e) { return e.dialect == Dialect::kPython || e.dialect == Dialect::kTorch; };
  if (std::any_of(model.sources.begin(), model.sources.end(), [&](const SourceFacts* facts) {
        return std::any_of(facts->events.begin(), facts->events.end(), of_python);
      })) {
    return true;
  }
  const std::vector<ThreadStack> stacks = FindStacks(model);
  return std::any_of(stacks.begin(), stacks.end(),
                     [](const ThreadStack& s) { return s.function.find(".py") != std::string::npos; });
}

}  // namespace

void MarkStrangers(const JobModel& model, std::vector<EvidenceItem>& items) {
  for (EvidenceItem& i : items) {
    const std::string_view program = ProgramIn(i.finding.text);
    const auto pid = ParseInt<int64_t>(i.finding.Field("pid"));
    if (program.empty() || !pid || !i.finding.anybodys) continue;
    const bool python = std::any_of(std::begin(kPythons), std::end(kPythons),
                                    [&](std::string_view name) { return program.starts_with(name); });
    const bool known =
        std::any_of(model.processes.begin(), model.processes.end(), [&](const Process& p) { return p.pid == *pid; });
    i.survived = i.survived || (!python && !known && IsPython(model));
  }
}

}  // namespace ncclwhy
