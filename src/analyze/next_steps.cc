#include "analyze/next_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/lost_host.h"
#include "kb/loader/command_words.h"

namespace ncclwhy {
namespace {

template <typename Is>
bool AnyEvent(const JobModel& model, Is is) {
  return std::any_of(model.sources.begin(), model.sources.end(),
                     [&](const SourceFacts* f) { return std::any_of(f->events.begin(), f->events.end(), is); });
}

bool HasInfoLines(const JobModel& model) {
  return AnyEvent(model,
                  [](const Event& e) { return e.level == LogLevel::kInfo && e.kind != EventKind::kResultTrace; });
}

bool HasKernelLines(const JobModel& model) {
  return AnyEvent(model, [](const Event& e) { return e.dialect == Dialect::kKernel; });
}

}  // namespace

std::vector<Collect> NextSteps(const JobModel& model, const std::vector<EvidenceItem>& items, const Coverage& coverage,
                               Language language) {
  const bool zh = language == Language::kChinese;
  std::vector<Collect> steps;
  const auto add = [&](const char* en, const char* chinese, const char* command) {
    steps.push_back({zh ? chinese : en, command});
  };
  const std::string gone = LostHost(model, items);
  if (!gone.empty()) {
    steps.push_back({zh ? fmt::format("{} 的情况：断开的连接都指向它；它的日志、退出码和内核日志", gone)
                        : fmt::format("what became of {}, to which all closed connections lead: its log, exit codes, "
                                      "and its kernel's view",
                                      gone),
                     "dmesg -T | grep -iE 'xid|nvrm|mlx5|oom|killed process'"});
  }
  if (coverage.nccl == 0) {
    add("NCCL's own lines: none were found; run once more with its log on, one file per process",
        "NCCL 自己的日志：没有找到，请打开日志后重跑一次，每个进程一个文件",
        "NCCL_DEBUG=INFO NCCL_DEBUG_FILE=/tmp/nccl.%h.%p.log");
  } else if (!HasInfoLines(model)) {
    add("the INFO log: only warnings were printed, so ranks, devices and networks are unknown",
        "INFO 级日志：目前只有警告，无法得知 rank、设备和网络",
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,BOOTSTRAP,NET NCCL_DEBUG_FILE=/tmp/nccl.%h.%p.log");
  }
  if (model.largest.valid()) {
    const Communicator& c = model.communicators[model.largest.value];
    if (c.ranks_seen < c.nranks && c.nranks > 0) {
      const int64_t missing = c.nranks - c.ranks_seen;
      steps.push_back({zh ? fmt::format("缺少的 {} 个 rank 的日志（共 {} 个）", missing, c.nranks)
                          : fmt::format("the logs of the {} ranks (of {}) that are not here", missing, c.nranks),
                       ""});
    }
    const bool running = c.stage >= Stage::kReady;
    const bool logged = std::any_of(c.ranks.begin(), c.ranks.end(), [](const Rank& r) { return r.stream != nullptr; });
    if (running && !logged) {
      add("which collective each rank issued last", "每个 rank 最后发起的集合通信",
          "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL");
    }
  }
  if (!HasKernelLines(model) && gone.empty()) {
    add("the kernel's view of each host", "每台主机的内核日志",
        "dmesg -T | grep -iE 'xid|nvrm|mlx5|oom|killed process'");
  }
  return steps;
}

Collect HowItEnded(const CaseFile& c) {
  constexpr std::string_view kJob = "JOBID";
  Collect step;
  step.what =
      c.language == Language::kChinese
          ? "作业如何结束：日志的其余部分和退出状态；它可能已完成、被终止，或仍在运行"
          : "how it ended: the rest of the log and the exit status; it may have finished, been stopped, or still run";
  for (const std::string& word : c.environment.words) {
    const auto known = c.kb.FindCode("environment", word, Language::kEnglish);
    if (!known || !known->more.contains("status")) continue;
    step.command = known->more.at("status");
    const TemplateValues words = CommandWords({c.environment.values.begin(), c.environment.values.end()});
    const auto id = words.find("job_id");
    if (const size_t at = step.command.find(kJob); at != std::string::npos && id != words.end()) {
      step.command.replace(at, kJob.size(), id->second);
    }
    break;
  }
  return step;
}

}  // namespace ncclwhy
