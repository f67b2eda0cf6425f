#include "analyze/next_steps.h"

#include <algorithm>

#include "analyze/lost_host.h"
#include "analyze/passed_by_launcher.h"
#include "base/numbers.h"
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

// An entry of the table.
Collect StepOf(const CaseFile& c, std::string_view word, const TemplateValues& values = {}) {
  const auto known = c.kb.FindCode("collect", word, c.language);
  if (!known) return {};
  const auto command = known->more.find("command");
  return {ExpandTemplate(known->meaning, values), command == known->more.end() ? std::string() : command->second};
}

// Who should be looked at: the rank that a rule says is behind, else the one whose last word is known. -1: nobody
// stands out.
int32_t WhoStandsOut(const CaseFile& c, const Report& report) {
  for (const EvidenceItem& item : c.items) {
    const bool behind = item.rule != nullptr && item.rule->healthy_only && !item.rule->degrades;
    const std::string_view rank = behind ? item.finding.Field("culprit_rank") : std::string_view();
    if (const auto number = ParseInt<int32_t>(rank)) return *number;
  }
  return report.last_words.empty() ? -1 : report.last_words.front().rank.value_or(-1);
}

Collect IfItStands(const CaseFile& c, const Report& report) {
  TemplateValues values;
  if (const int32_t rank = WhoStandsOut(c, report); rank >= 0) {
    values["rank"] = std::to_string(rank);
    for (const Process& p : c.model.processes) {
      if (p.rank != rank) continue;
      if (!p.host.empty()) values["host"] = p.host;
      if (p.pid >= 0) values["pid"] = std::to_string(p.pid);
    }
  }
  Collect step = StepOf(c, "standing", values);
  step.command = WithStackTool(c.kb, c.environment, ExpandTemplate(step.command, CommandWords(values)));
  return step;
}

}  // namespace

std::vector<Collect> NextSteps(const CaseFile& c, const Report& report, bool hangs) {
  std::vector<Collect> steps;
  const Coverage& coverage = report.coverage;
  if (hangs) steps.push_back(IfItStands(c, report));
  const std::string gone = LostHost(c.model, c.items);
  if (!gone.empty()) steps.push_back(StepOf(c, "lost-host", {{"host", gone}}));
  if (coverage.nccl == 0) {
    steps.push_back(StepOf(c, "no-nccl"));
  } else if (!HasInfoLines(c.model)) {
    steps.push_back(StepOf(c, "only-warnings"));
  }
  if (c.model.largest.valid()) {
    const Communicator& comm = c.model.communicators[c.model.largest.value];
    if (comm.ranks_seen < comm.nranks && comm.nranks > 0) {
      steps.push_back(
          StepOf(c, "missing-ranks",
                 {{"count", std::to_string(comm.nranks - comm.ranks_seen)}, {"nranks", std::to_string(comm.nranks)}}));
    }
    const auto is_logged = [](const Rank& r) { return r.stream != nullptr; };
    if (comm.stage >= Stage::kReady && std::none_of(comm.ranks.begin(), comm.ranks.end(), is_logged)) {
      steps.push_back(StepOf(c, "no-calls"));
    }
  }
  if (!HasKernelLines(c.model) && gone.empty()) steps.push_back(StepOf(c, "no-kernel"));
  return steps;
}

static Collect HowItEnded(const CaseFile& c) {
  constexpr std::string_view kJob = "JOBID";
  Collect step = StepOf(c, "no-end");
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

std::vector<Collect> HowItEnded(const CaseFile& c, const Report& report) {
  std::vector<Collect> steps = {HowItEnded(c)};
  if (!report.progress.empty() || c.model.largest.valid()) steps.push_back(IfItStands(c, report));
  return steps;
}

}  // namespace ncclwhy
