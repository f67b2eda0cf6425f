#include "report/redact.h"

#include <algorithm>
#include <string_view>

#include "report/redact_text.h"

namespace ncclwhy {
namespace {

void RedactEvidence(std::vector<Evidence>* evidence, Redactor* redactor) {
  for (Evidence& item : *evidence) {
    redactor->Text(&item.file);
    redactor->Line(&item.text);
    redactor->Text(&item.note);
    for (ContextLine& near : item.context) redactor->Line(&near.text);
  }
}

void RedactCulprits(std::vector<Culprit>* culprits, Redactor* redactor) {
  for (Culprit& culprit : *culprits) {
    redactor->Text(&culprit.host);
    redactor->Text(&culprit.device);
    redactor->Text(&culprit.why);
  }
}

// What became of the job, in all its parts.
void RedactOutcome(Report* report, Redactor* redactor) {
  for (OutcomeEvidence& item : report->outcome_evidence) {
    redactor->Text(&item.file);
    redactor->Line(&item.text);
    redactor->Text(&item.note);
  }
  redactor->Text(&report->progress);
  if (report->checkpoint) {
    redactor->Text(&report->checkpoint->step);
    redactor->Text(&report->checkpoint->file);
    redactor->Line(&report->checkpoint->text);
  }
  for (Attempt& attempt : report->attempts) {
    redactor->Text(&attempt.file);
    redactor->Line(&attempt.sentence);
  }
  for (JobAnswer& job : report->jobs) {
    redactor->Text(&job.name);
    redactor->Text(&job.title);
    RedactCulprits(&job.culprits, redactor);
    for (std::string& file : job.files) redactor->Text(&file);
  }
  for (TimelineStep& step : report->timeline) {
    redactor->Text(&step.host);
    redactor->Text(&step.what);
    redactor->Text(&step.file);
    redactor->Line(&step.text);
  }
  for (EnvironmentFact& fact : report->job.environment) {
    redactor->Text(&fact.value);
    redactor->Text(&fact.file);
  }
  for (PossibleCause& candidate : report->candidates) {
    redactor->Text(&candidate.title);
    redactor->Text(&candidate.tells);
    redactor->Text(&candidate.command);
  }
  if (!report->decision) return;
  for (std::string& host : report->decision->hosts) redactor->Text(&host);
  for (std::string& device : report->decision->devices) redactor->Text(&device);
  redactor->Text(&report->decision->why);
  redactor->Text(&report->decision->command);
}

}  // namespace

Report Redact(Report report, Language language) {
  Redactor redactor;
  redactor.WriteHan(language == Language::kChinese);
  // Names first: what is known to be a host is one wherever it stands.
  for (const Cause& cause : report.causes) {
    for (const Culprit& culprit : cause.culprits) redactor.Learn(Private::kHost, culprit.host);
  }
  for (const ReportCommunicator& comm : report.job.communicators) {
    for (const ReportRank& rank : comm.ranks) redactor.Learn(Private::kHost, rank.host);
  }
  for (const JobAnswer& job : report.jobs) {
    for (const Culprit& culprit : job.culprits) redactor.Learn(Private::kHost, culprit.host);
  }
  for (const TimelineStep& step : report.timeline) redactor.Learn(Private::kHost, step.host);
  if (report.decision) {
    for (const std::string& host : report.decision->hosts) redactor.Learn(Private::kHost, host);
  }
  // Then the lines of logs, which teach the names that only they hold.
  for (Cause& cause : report.causes) RedactEvidence(&cause.evidence, &redactor);
  for (Consequence& item : report.consequences) {
    redactor.Text(&item.file);
    redactor.Line(&item.text);
  }
  for (HarmlessLine& item : report.harmless) {
    redactor.Text(&item.file);
    redactor.Text(&item.text);
    redactor.Text(&item.why);
  }
  for (Warning& item : report.warnings) {
    RedactEvidence(&item.evidence, &redactor);
    redactor.Text(&item.text);
  }
  for (ReportCommunicator& comm : report.job.communicators) {
    for (ReportRank& rank : comm.ranks) {
      redactor.Text(&rank.host);
      redactor.Text(&rank.file);
      redactor.Line(&rank.last_text);
    }
  }
  for (std::string& problem : report.problems) redactor.Text(&problem);
  RedactOutcome(&report, &redactor);
  // Last the knowledge's texts: the values in them came from the lines above.
  for (Cause& cause : report.causes) {
    redactor.Text(&cause.summary);
    RedactCulprits(&cause.culprits, &redactor);
    for (std::vector<Fix>* fixes : {&cause.fixes, &cause.fixes_elsewhere}) {
      for (Fix& fix : *fixes) {
        redactor.Text(&fix.text);
        redactor.Text(&fix.command);
      }
    }
    redactor.Text(&cause.sure);
    for (Confirm& confirm : cause.confirm) {
      redactor.Text(&confirm.text);
      redactor.Text(&confirm.command);
    }
    redactor.Text(&cause.title);
    redactor.Text(&cause.why_not);
    redactor.Text(&cause.mistaken_for);
    redactor.Text(&cause.unproven);
  }
  redactor.Text(&report.headline);
  for (Collect& item : report.collect) {
    redactor.Text(&item.what);
    redactor.Text(&item.command);
  }
  for (std::string& version : report.job.nccl_versions) redactor.Text(&version);
  // A report that was redacted already keeps its figures.
  for (size_t kind = 0; kind < kPrivateKinds; ++kind) {
    const uint64_t count = redactor.Count(static_cast<Private>(kind));
    if (count > 0) report.coverage.notes["redacted_" + std::string(NameOf(static_cast<Private>(kind)))] = count;
  }
  return report;
}

}  // namespace ncclwhy
