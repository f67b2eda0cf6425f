// `ncclwhy.report/1`, described by report.schema.json beside this file. Keys stand in the order of the schema; members
// that are unknown (a rank of -1, an empty command) are left out.
#include "analyze/answer_names.h"
#include "base/escape.h"
#include "ncclwhy/exit_status.h"
#include "ncclwhy/version.h"
#include "report/json_parts.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {

OrderedJsonValue ToJson(const Culprit& c) {
  return Object("rank?", c.rank, "host?", c.host, "pid?", c.pid, "gpu?", c.gpu, "device?", c.device, "why", c.why);
}

static OrderedJsonValue ToJson(const ContextLine& l) { return Object("line", l.line, "text", l.text); }

static OrderedJsonValue ToJson(const Evidence& e) {
  return Object("role", e.role, "file?", e.file, "line?", e.line, "text?", e.text, "rule?", e.rule, "note?", e.note,
                "context?", e.context);
}

static OrderedJsonValue ToJson(const Fix& f) {
  return Object("for", f.environment, "text", f.text, "command?", f.command, "cost?", f.cost, "host?", f.host);
}

static OrderedJsonValue ToJson(const Confirm& c) {
  return Object("command?", c.command, "text?", c.text, "host?", c.host);
}

// Both members are of the schema's first version, which readers rely on.
// "confirm" holds commands alone, for scripts that run them; "checks" also what is only to be looked at.
static OrderedJsonValue ToJson(const Cause& c) {
  std::vector<std::string> commands;
  for (const Confirm& confirm : c.confirm) {
    if (!confirm.command.empty()) commands.push_back(confirm.command);
  }
  return Object("id", c.id, "title", c.title, "confidence", c.confidence, "summary", c.summary, "meaning?", c.meaning,
                "mistaken_for?", c.mistaken_for, "unproven?", c.unproven, "why_not?", c.why_not, "culprits", c.culprits,
                "evidence", c.evidence, "fixes", c.fixes, "confirm", commands, "checks", c.confirm, "references",
                c.references, "fixes_elsewhere?", c.fixes_elsewhere, "sure?", c.sure);
}

static OrderedJsonValue ToJson(const OutcomeEvidence& e) {
  return Object("file?", e.file, "line?", e.line, "text?", e.text, "note?", e.note);
}

static OrderedJsonValue ToJson(const Checkpoint& c) {
  return Object("step?", c.step, "file?", c.file, "line", c.line, "text?", c.text);
}

static OrderedJsonValue ToJson(const Attempt& a) {
  return Object("outcome", OutcomeName(a.outcome), "cause?", a.cause, "file?", a.file, "first_line?", a.first_line,
                "last_line?", a.last_line, "sentence?", a.sentence);
}

static OrderedJsonValue ToJson(const JobAnswer& j) {
  return Object("name", j.name, "outcome", OutcomeName(j.outcome), "verdict", VerdictName(j.verdict), "cause?", j.cause,
                "title?", j.title, "culprits", j.culprits, "files", j.files, "exit_status", j.exit_status);
}

static OrderedJsonValue ToJson(const PossibleCause& c) {
  return Object("id", c.id, "title", c.title, "tells?", c.tells, "command?", c.command);
}

static OrderedJsonValue ToJson(const SeenIncident& s) {
  return Object("id", s.id, "url", s.url, "cause", s.cause, "title", s.title, "solved", s.solved, "products",
                s.products);
}

static OrderedJsonValue ToJson(const Decision& d) {
  return Object("do", ActionName(d.action), "hosts", d.hosts, "devices?", d.devices, "confidence", d.confidence, "why",
                d.why, "command?", d.command, "look_first?", d.look_first ? std::optional(true) : std::nullopt,
                "end_first?", d.end_first ? std::optional(true) : std::nullopt);
}

static OrderedJsonValue ToJson(const TimelineStep& s) {
  return Object("kind", s.kind, "time?", s.time, "seconds?", s.seconds, "rank?", s.rank, "host?", s.host, "what",
                s.what, "file?", s.file, "line?", s.line, "text?", s.text, "count", s.count, "ranks?", s.ranks,
                // 0 is no move.
                "moved?", s.moved == 0 ? std::nullopt : std::optional(s.moved));
}

static OrderedJsonValue ToJson(const HostOffset& h) {
  return Object("host", h.host, "reference", h.reference, "ahead?", h.ahead, "error?", h.error, "events?", h.events,
                "steps", h.steps, "misleads", h.misleads);
}

static OrderedJsonValue ToJson(const EnvironmentFact& f) {
  return Object("name", f.name, "value", f.value, "file?", f.file, "line?", f.line);
}

static OrderedJsonValue ToJson(const HarmlessLine& l) {
  return Object("file?", l.file, "line?", l.line, "text", l.text, "why?", l.why, "count", l.count, "got_over?",
                l.got_over, "alarm", l.alarm);
}

static OrderedJsonValue ToJson(const Consequence& c) {
  return Object("file?", c.file, "line?", c.line, "text", c.text, "of", c.of, "count", c.count, "ranks?", c.ranks);
}

static OrderedJsonValue ToJson(const LastWord& w) {
  return Object("file", w.file, "line", w.line, "text", w.text, "rank?", w.rank, "host?", w.host);
}

static OrderedJsonValue ToJson(const Collect& c) { return Object("what", c.what, "command?", c.command); }

static OrderedJsonValue ToJson(const Warning& w) {
  return Object("id", w.id, "text", w.text, "evidence", w.evidence, "contradicts?", w.contradicts);
}

static OrderedJsonValue ToJson(const ReportRank& r) {
  return Object("rank?", r.rank, "host?", r.host, "pid?", r.pid, "gpu?", r.gpu, "stage", r.stage, "seen", r.seen,
                "culprit", r.culprit, "file?", r.file, "last_line?", r.last_line, "last_text?", r.last_text,
                "collectives?", r.collectives);
}

static OrderedJsonValue ToJson(const CallColumn& c) { return Object("ranks", c.ranks, "calls", c.calls); }

static OrderedJsonValue ToJson(const CallTable& t) {
  return Object("first", t.first, "disagree", t.disagree, "columns", t.columns);
}

// Members with a `?` ask this of their type.
// Nothing where the ranks agree.
static bool IsKnown(const CallTable& t) { return !t.columns.empty(); }

static OrderedJsonValue ToJson(const ReportCommunicator& c) {
  return Object("id", c.id, "comm_id?", c.comm_id, "nranks", c.nranks, "ranks_seen", c.ranks_seen, "stage", c.stage,
                "ranks", c.ranks, "calls_differ?", c.calls_differ);
}

static OrderedJsonValue ToJson(const TransportEdge& e) {
  return Object("from", e.from, "to", e.to, "transport", e.transport, "channels", e.channels);
}

static OrderedJsonValue ToJson(const Job& j) {
  return Object("nccl_versions", j.nccl_versions, "hosts", j.hosts, "processes", j.processes, "communicators",
                j.communicators, "transports", j.transports, "edges", j.edges, "environment", j.environment);
}

static OrderedJsonValue ToJson(const Coverage& c) {
  return Object("lines", c.lines, "nccl", c.nccl, "recognised", c.recognised, "unrecognised", c.unrecognised, "foreign",
                c.foreign, "damaged", c.damaged, "sources", c.sources, "bytes", c.bytes, "notes", c.notes);
}

std::string RenderJson(const Report& report, const RenderOptions& options) {
  const OrderedJsonValue out = Object(
      "schema", "ncclwhy.report/1", "ncclwhy", NCCLWHY_VERSION, "language", WordsOf(options.language).code, "verdict",
      VerdictName(report.verdict), "exit_status", ExitStatus(report), "outcome", OutcomeName(report.outcome),
      "outcome_evidence", report.outcome_evidence, "progress?", report.progress, "checkpoint?", report.checkpoint,
      "attempts", report.attempts, "jobs", report.jobs, "causes", report.causes, "candidates", report.candidates,
      "seen_before?", report.seen_before, "decision?", report.decision, "timeline", report.timeline, "clocks?",
      report.clocks, "consequences", report.consequences, "followers?", report.followers, "harmless?", report.harmless,
      "last_words?", report.last_words, "collect", report.collect, "warnings", report.warnings, "job", report.job,
      "coverage", report.coverage, "problems", report.problems);
  // Bytes of a log that are no UTF-8 become U+FFFD: the report is JSON whatever was logged.
  return EscapeJsonHidden(out.dump(2, ' ', false, OrderedJsonValue::error_handler_t::replace)) + "\n";
}

}  // namespace ncclwhy
