#include "hostile/every_text.h"

#include <map>
#include <utility>
#include <vector>

namespace ncclwhy::hostile {
namespace {

class Walk {
 public:
  explicit Walk(const std::function<void(std::string*)>& call) : call_(call) {}

  template <typename... Texts>
  void Each(Texts&... texts) {
    (call_(&texts), ...);
  }

  void operator()(std::vector<std::string>& texts) {
    for (std::string& text : texts) call_(&text);
  }
  void operator()(std::vector<Culprit>& culprits) {
    for (Culprit& c : culprits) Each(c.host, c.device, c.why);
  }
  void operator()(std::vector<Evidence>& evidence) {
    for (Evidence& e : evidence) {
      Each(e.file, e.text, e.rule, e.note);
      for (ContextLine& near : e.context) Each(near.text);
    }
  }
  void operator()(std::vector<Fix>& fixes) {
    for (Fix& f : fixes) Each(f.environment, f.text, f.command, f.cost);
  }
  void operator()(Cause& cause) {
    Each(cause.id, cause.title, cause.summary, cause.meaning, cause.mistaken_for, cause.unproven, cause.why_not,
         cause.sure);
    (*this)(cause.culprits);
    (*this)(cause.evidence);
    (*this)(cause.fixes);
    (*this)(cause.fixes_elsewhere);
    (*this)(cause.references);
    for (Confirm& confirm : cause.confirm) Each(confirm.command, confirm.text);
  }
  void operator()(Job& job) {
    (*this)(job.nccl_versions);
    for (ReportCommunicator& comm : job.communicators) {
      Each(comm.comm_id);
      for (ReportRank& rank : comm.ranks) Each(rank.host, rank.file, rank.last_text);
    }
    for (TransportEdge& edge : job.edges) Each(edge.transport);
    for (EnvironmentFact& fact : job.environment) Each(fact.name, fact.value, fact.file);
    Keys(&job.transports);
  }
  void operator()(Report& report) {
    Each(report.progress);
    (*this)(report.problems);
    for (OutcomeEvidence& e : report.outcome_evidence) Each(e.file, e.text, e.note);
    for (Attempt& a : report.attempts) Each(a.cause, a.file, a.sentence);
    for (JobAnswer& job : report.jobs) {
      Each(job.name, job.cause, job.title);
      (*this)(job.culprits);
      (*this)(job.files);
    }
    for (Cause& cause : report.causes) (*this)(cause);
    for (PossibleCause& c : report.candidates) Each(c.id, c.title, c.tells, c.command);
    for (SeenIncident& s : report.seen_before) {
      Each(s.id, s.url, s.cause, s.title, s.solved);
      for (auto& [name, version] : s.products) Each(version);
    }
    if (report.decision) {
      (*this)(report.decision->hosts);
      (*this)(report.decision->devices);
      Each(report.decision->why, report.decision->command);
    }
    for (TimelineStep& step : report.timeline) Each(step.time, step.host, step.what, step.file, step.text);
    for (Consequence& c : report.consequences) Each(c.file, c.text, c.of);
    for (HarmlessLine& line : report.harmless) Each(line.file, line.text, line.why);
    for (Collect& c : report.collect) Each(c.what, c.command);
    for (Warning& warning : report.warnings) {
      Each(warning.id, warning.text);
      (*this)(warning.evidence);
    }
    (*this)(report.job);
  }

 private:
  // Names that become alike are one.
  void Keys(std::map<std::string, int64_t>* named) {
    std::map<std::string, int64_t> changed;
    for (const auto& [key, value] : *named) {
      std::string name = key;
      call_(&name);
      changed[name] += value;
    }
    *named = std::move(changed);
  }

  const std::function<void(std::string*)>& call_;
};

}  // namespace

void ForEachText(Report* report, const std::function<void(std::string*)>& call) {
  Walk walk(call);
  walk(*report);
}

}  // namespace ncclwhy::hostile
