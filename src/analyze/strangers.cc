#include "analyze/strangers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "job/thread_stack.h"

namespace ncclwhy {
namespace {

// How the names begin under which the kernel may show a process or thread of such a job: Python's, PyTorch's threads,
// Ray's actors, vLLM's, a launcher's; and "[…" of a thread of its own, "<…" where it knew no name.
constexpr std::string_view kOfJobs[] = {"python",   "pt_",   "ray",       "Ray",        "torch",   "VLLM",    "vllm",
                                        "sglang",   "train", "deepspeed", "accelerate", "ipython", "jupyter", "uvicorn",
                                        "gunicorn", "mpi",   "srun",      "nccl",       "cuda",    "[",       "<"};

// Who only asks a GPU how it does: a fault that it met in doing so is the GPU's, whoever works on it.
//   Xid … 119, pid=52331, name=nvidia-smi, Timeout after 45s of waiting for RPC response from GPU3 GSP!
constexpr std::string_view kAsk[] = {"nvidia-",       "nv-",     "dcgm",   "nvtop",   "gpustat", "gpud",     "telegraf",
                                     "node_exporter", "datadog", "zabbix", "netdata", "kubelet", "rocm-smi", "amd-smi"};

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
  std::optional<bool> is_python;  // asked once, and only where the kernel names a program
  for (EvidenceItem& i : items) {
    const std::string_view program = ProgramIn(i.finding.text);
    const auto pid = ParseInt<int64_t>(i.finding.Field("pid"));
    if (program.empty() || !pid || !i.finding.anybodys) continue;
    const auto begins = [&](std::string_view name) { return program.starts_with(name); };
    const bool perhaps_ours = std::any_of(std::begin(kOfJobs), std::end(kOfJobs), begins) ||
                              std::any_of(std::begin(kAsk), std::end(kAsk), begins);
    const bool known =
        std::any_of(model.processes.begin(), model.processes.end(), [&](const Process& p) { return p.pid == *pid; });
    if (perhaps_ours || known) continue;
    if (!is_python) is_python = IsPython(model);
    i.survived = i.survived || *is_python;
  }
}

}  // namespace ncclwhy
