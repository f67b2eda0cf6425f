#include "report/report_texts.h"

#include <map>
#include <utility>
#include <vector>

namespace ncclwhy {
namespace {

// Every text of a report, once. A text that is not visited here is printed as it is by --redact, so a new member of the
// report needs its line in this class.
class Walk {
 public:
  explicit Walk(const std::function<void(TextIs, std::string*)>& call) : call_(call) {}

  void Whole(Report* report) {
    for (Cause& cause : report->causes) OfCause(&cause);
    for (Consequence& c : report->consequences) {
      Lines(&c.file, &c.text);
      Own(&c.of);
    }
    for (HarmlessLine& line : report->harmless) {
      Lines(&line.file, &line.text);
      Sentences(&line.why);
    }
    for (LastWord& word : report->last_words) {
      Lines(&word.file, &word.text);
      Each(TextIs::kHost, &word.host);
    }
    for (Warning& warning : report->warnings) {
      Own(&warning.id);
      OfEvidence(&warning.evidence);
      Sentences(&warning.text);
    }
    OfJob(&report->job);
    Sentences(&report->headline);
    for (std::string& problem : report->problems) Lines(&problem);
    OfOutcome(report);
    OfDecision(report);
    for (SeenIncident& s : report->seen_before) {
      Own(&s.id, &s.url, &s.cause, &s.title, &s.solved);
      for (auto& [name, version] : s.products) Own(&version);
    }
    for (Collect& c : report->collect) Sentences(&c.what, &c.command);
  }

 private:
  template <typename... Texts>
  void Each(TextIs is, Texts*... texts) {
    (call_(is, texts), ...);
  }
  template <typename... Texts>
  void Lines(Texts*... texts) {
    Each(TextIs::kLine, texts...);
  }
  template <typename... Texts>
  void Sentences(Texts*... texts) {
    Each(TextIs::kSentence, texts...);
  }
  template <typename... Texts>
  void Own(Texts*... texts) {
    Each(TextIs::kOwn, texts...);
  }

  // Hosts before all else: once the alias of node07 is known, it is found in the sentences about it, too.
  void OfCulprits(std::vector<Culprit>* culprits) {
    for (Culprit& c : *culprits) Each(TextIs::kHost, &c.host);
    for (Culprit& c : *culprits) {
      Lines(&c.device);
      Sentences(&c.why);
    }
  }
  void OfEvidence(std::vector<Evidence>* evidence) {
    for (Evidence& e : *evidence) {
      Own(&e.role, &e.rule);
      Lines(&e.file, &e.text);
      Sentences(&e.note);
      for (ContextLine& near : e.context) Lines(&near.text);
    }
  }
  void OfFixes(std::vector<Fix>* fixes) {
    for (Fix& f : *fixes) {
      Own(&f.environment, &f.cost);
      Sentences(&f.text, &f.command, &f.host);
    }
  }
  void OfCause(Cause* cause) {
    Own(&cause->id, &cause->meaning);
    OfCulprits(&cause->culprits);
    OfEvidence(&cause->evidence);
    Sentences(&cause->title, &cause->summary, &cause->mistaken_for, &cause->unproven, &cause->why_not, &cause->sure);
    OfFixes(&cause->fixes);
    OfFixes(&cause->fixes_elsewhere);
    for (Confirm& confirm : cause->confirm) Sentences(&confirm.command, &confirm.text, &confirm.host);
    for (std::string& url : cause->references) Own(&url);
  }
  void OfJob(Job* job) {
    for (std::string& version : job->nccl_versions) Lines(&version);
    for (ReportCommunicator& comm : job->communicators) {
      Each(TextIs::kHash, &comm.comm_id);
      Own(&comm.stage);
      for (ReportRank& rank : comm.ranks) {
        Each(TextIs::kHost, &rank.host);
        Own(&rank.stage);
        Lines(&rank.file, &rank.last_text);
      }
      for (CallColumn& column : comm.calls_differ.columns) {
        for (std::string& text : column.calls) Lines(&text);
      }
    }
    for (TransportEdge& edge : job->edges) Lines(&edge.transport);
    Keys(&job->transports);
    for (EnvironmentFact& fact : job->environment) {
      Own(&fact.name);
      Lines(&fact.value, &fact.file);
    }
  }
  void OfOutcome(Report* report) {
    for (OutcomeEvidence& e : report->outcome_evidence) {
      Lines(&e.file, &e.text);
      Sentences(&e.note);
    }
    Sentences(&report->progress);
    if (report->checkpoint) Lines(&report->checkpoint->step, &report->checkpoint->file, &report->checkpoint->text);
    for (Attempt& a : report->attempts) {
      Own(&a.cause);
      Lines(&a.file);
      Sentences(&a.sentence);
    }
    for (JobAnswer& job : report->jobs) {
      Own(&job.cause);
      OfCulprits(&job.culprits);
      Lines(&job.name);
      Sentences(&job.title);
      for (std::string& file : job.files) Lines(&file);
    }
    for (TimelineStep& step : report->timeline) {
      Own(&step.kind, &step.time);
      Each(TextIs::kHost, &step.host);
      Lines(&step.file, &step.text);
      Sentences(&step.what);
    }
    if (report->span) Own(&report->span->from, &report->span->to);
    for (RankTrack& track : report->tracks) {
      Each(TextIs::kHost, &track.host);
      for (TrackPart& part : track.parts) {
        Own(&part.kind);
        Lines(&part.file);
        Sentences(&part.what);
      }
    }
    for (HostOffset& clock : report->clocks) Each(TextIs::kHost, &clock.host, &clock.reference);
    for (PossibleCause& c : report->candidates) {
      Own(&c.id);
      Sentences(&c.title, &c.tells, &c.command);
    }
  }
  void OfDecision(Report* report) {
    if (!report->decision) return;
    for (std::string& host : report->decision->hosts) Each(TextIs::kHost, &host);
    for (std::string& device : report->decision->devices) Lines(&device);
    Sentences(&report->decision->why, &report->decision->command);
  }

  // Names that become alike are one.
  void Keys(std::map<std::string, int64_t>* named) {
    std::map<std::string, int64_t> changed;
    for (const auto& [key, value] : *named) {
      std::string name = key;
      Lines(&name);
      changed[name] += value;
    }
    *named = std::move(changed);
  }

  const std::function<void(TextIs, std::string*)>& call_;
};

}  // namespace

void ForEachText(Report* report, const std::function<void(TextIs, std::string*)>& call) { Walk(call).Whole(report); }

}  // namespace ncclwhy
