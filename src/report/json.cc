// `ncclwhy.report/1`, described by report.schema.json beside this file. Keys stand in the order of the schema; members
// that are unknown (a rank of -1, an empty command) are left out.
#include "base/json.h"

#include <cmath>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "ncclwhy/exit_status.h"
#include "ncclwhy/version.h"
#include "report/json_parts.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

void AddNumber(OrderedJsonValue* object, const char* key, int64_t value) {
  if (value >= 0) (*object)[key] = value;
}

// Three digits: more would pretend, and would differ between compilers.
double Rounded(double probability) { return std::isfinite(probability) ? std::round(probability * 1000) / 1000 : 0; }

// Declared here: the template below finds only what stands above it.
OrderedJsonValue ToJson(const Cause& c);
OrderedJsonValue ToJson(const Consequence& c);
OrderedJsonValue ToJson(const HarmlessLine& l);
OrderedJsonValue ToJson(const Collect& c);
OrderedJsonValue ToJson(const Warning& w);
OrderedJsonValue ToJson(const ReportRank& r);
OrderedJsonValue ToJson(const ReportCommunicator& c);
OrderedJsonValue ToJson(const TransportEdge& e);
OrderedJsonValue ToJson(const OutcomeEvidence& e);
OrderedJsonValue ToJson(const Attempt& a);
OrderedJsonValue ToJson(const JobAnswer& j);
OrderedJsonValue ToJson(const PossibleCause& c);
OrderedJsonValue ToJson(const SeenIncident& s);
OrderedJsonValue ToJson(const TimelineStep& s);
OrderedJsonValue ToJson(const EnvironmentFact& f);

OrderedJsonValue ToJson(const Culprit& c) {
  OrderedJsonValue out = OrderedJsonValue::object();
  AddNumber(&out, "rank", c.rank);
  AddText(&out, "host", c.host);
  AddNumber(&out, "pid", c.pid);
  AddNumber(&out, "gpu", c.gpu);
  AddText(&out, "device", c.device);
  out["why"] = SanitizeUtf8(c.why);
  return out;
}

OrderedJsonValue ToJson(const Evidence& e) {
  OrderedJsonValue out = {{"role", SanitizeUtf8(e.role)}};
  AddText(&out, "file", e.file);
  if (e.line > 0) out["line"] = e.line;
  AddText(&out, "text", e.text);
  AddText(&out, "rule", e.rule);
  AddText(&out, "note", e.note);
  if (e.context.empty()) return out;
  OrderedJsonValue context = OrderedJsonValue::array();
  for (const ContextLine& near : e.context) context.push_back({{"line", near.line}, {"text", SanitizeUtf8(near.text)}});
  out["context"] = std::move(context);
  return out;
}

OrderedJsonValue ToJson(const Fix& f) {
  OrderedJsonValue out = {{"for", SanitizeUtf8(f.environment)}, {"text", SanitizeUtf8(f.text)}};
  AddText(&out, "command", f.command);
  AddText(&out, "cost", f.cost);
  return out;
}

template <typename T>
OrderedJsonValue ToJson(const std::vector<T>& items) {
  OrderedJsonValue out = OrderedJsonValue::array();
  for (const T& item : items) out.push_back(ToJson(item));
  return out;
}

OrderedJsonValue Texts(const std::vector<std::string>& texts) {
  OrderedJsonValue out = OrderedJsonValue::array();
  for (const std::string& text : texts) out.push_back(SanitizeUtf8(text));
  return out;
}

OrderedJsonValue ToJson(const Cause& c) {
  OrderedJsonValue out = {{"id", SanitizeUtf8(c.id)},
                          {"title", SanitizeUtf8(c.title)},
                          {"confidence", Rounded(c.confidence)},
                          {"summary", SanitizeUtf8(c.summary)}};
  AddText(&out, "meaning", c.meaning);
  AddText(&out, "mistaken_for", c.mistaken_for);
  AddText(&out, "unproven", c.unproven);
  AddText(&out, "why_not", c.why_not);
  out["culprits"] = ToJson(c.culprits);
  out["evidence"] = ToJson(c.evidence);
  out["fixes"] = ToJson(c.fixes);
  OrderedJsonValue commands = OrderedJsonValue::array();
  OrderedJsonValue checks = OrderedJsonValue::array();
  for (const Confirm& confirm : c.confirm) {
    if (!confirm.command.empty()) commands.push_back(SanitizeUtf8(confirm.command));
    OrderedJsonValue check = OrderedJsonValue::object();
    AddText(&check, "command", confirm.command);
    AddText(&check, "text", confirm.text);
    checks.push_back(std::move(check));
  }
  out["confirm"] = std::move(commands);
  out["checks"] = std::move(checks);
  out["references"] = Texts(c.references);
  if (!c.fixes_elsewhere.empty()) out["fixes_elsewhere"] = ToJson(c.fixes_elsewhere);
  AddText(&out, "sure", c.sure);
  return out;
}

OrderedJsonValue ToJson(const OutcomeEvidence& e) {
  OrderedJsonValue out = OrderedJsonValue::object();
  AddText(&out, "file", e.file);
  if (e.line > 0) out["line"] = e.line;
  AddText(&out, "text", e.text);
  AddText(&out, "note", e.note);
  return out;
}

OrderedJsonValue ToJson(const Attempt& a) {
  OrderedJsonValue out = {{"outcome", OutcomeName(a.outcome)}};
  AddText(&out, "cause", a.cause);
  AddText(&out, "file", a.file);
  if (a.first_line > 0) out["first_line"] = a.first_line;
  if (a.last_line > 0) out["last_line"] = a.last_line;
  AddText(&out, "sentence", a.sentence);
  return out;
}

OrderedJsonValue ToJson(const JobAnswer& j) {
  OrderedJsonValue out = {
      {"name", SanitizeUtf8(j.name)}, {"outcome", OutcomeName(j.outcome)}, {"verdict", VerdictName(j.verdict)}};
  AddText(&out, "cause", j.cause);
  AddText(&out, "title", j.title);
  out["culprits"] = ToJson(j.culprits);
  out["files"] = Texts(j.files);
  out["exit_status"] = j.exit_status;
  return out;
}

OrderedJsonValue ToJson(const PossibleCause& c) {
  OrderedJsonValue out = {{"id", SanitizeUtf8(c.id)}, {"title", SanitizeUtf8(c.title)}};
  AddText(&out, "tells", c.tells);
  AddText(&out, "command", c.command);
  return out;
}

OrderedJsonValue ToJson(const SeenIncident& s) {
  OrderedJsonValue out = {{"id", SanitizeUtf8(s.id)},         {"url", SanitizeUtf8(s.url)},
                          {"cause", SanitizeUtf8(s.cause)},   {"title", SanitizeUtf8(s.title)},
                          {"solved", SanitizeUtf8(s.solved)}, {"products", OrderedJsonValue::object()}};
  for (const auto& [name, version] : s.products) out["products"][SanitizeUtf8(name)] = SanitizeUtf8(version);
  return out;
}

OrderedJsonValue ToJson(const Decision& d) {
  OrderedJsonValue out = {{"do", ActionName(d.action)}, {"hosts", Texts(d.hosts)}};
  if (!d.devices.empty()) out["devices"] = Texts(d.devices);
  out["confidence"] = Rounded(d.confidence);
  out["why"] = SanitizeUtf8(d.why);
  AddText(&out, "command", d.command);
  return out;
}

OrderedJsonValue ToJson(const TimelineStep& s) {
  OrderedJsonValue out = {{"kind", SanitizeUtf8(s.kind)}};
  AddText(&out, "time", s.time);
  if (s.seconds >= 0) out["seconds"] = Rounded(s.seconds);
  AddNumber(&out, "rank", s.rank);
  AddText(&out, "host", s.host);
  out["what"] = SanitizeUtf8(s.what);
  AddText(&out, "file", s.file);
  if (s.line > 0) out["line"] = s.line;
  AddText(&out, "text", s.text);
  out["count"] = s.count;
  if (!s.ranks.empty()) out["ranks"] = s.ranks;
  return out;
}

OrderedJsonValue ToJson(const EnvironmentFact& f) {
  OrderedJsonValue out = {{"name", SanitizeUtf8(f.name)}, {"value", SanitizeUtf8(f.value)}};
  AddText(&out, "file", f.file);
  if (f.line > 0) out["line"] = f.line;
  return out;
}

OrderedJsonValue ToJson(const HarmlessLine& l) {
  OrderedJsonValue out = OrderedJsonValue::object();
  AddText(&out, "file", l.file);
  if (l.line > 0) out["line"] = l.line;
  out["text"] = SanitizeUtf8(l.text);
  AddText(&out, "why", l.why);
  out["count"] = l.count;
  if (l.got_over) out["got_over"] = true;
  return out;
}

OrderedJsonValue ToJson(const Consequence& c) {
  OrderedJsonValue out = OrderedJsonValue::object();
  AddText(&out, "file", c.file);
  if (c.line > 0) out["line"] = c.line;
  out["text"] = SanitizeUtf8(c.text);
  out["of"] = SanitizeUtf8(c.of);
  out["count"] = c.count;
  if (!c.ranks.empty()) out["ranks"] = c.ranks;
  return out;
}

OrderedJsonValue ToJson(const Collect& c) {
  OrderedJsonValue out = {{"what", SanitizeUtf8(c.what)}};
  AddText(&out, "command", c.command);
  return out;
}

OrderedJsonValue ToJson(const Warning& w) {
  return {{"id", SanitizeUtf8(w.id)}, {"text", SanitizeUtf8(w.text)}, {"evidence", ToJson(w.evidence)}};
}

OrderedJsonValue ToJson(const ReportRank& r) {
  OrderedJsonValue out = OrderedJsonValue::object();
  AddNumber(&out, "rank", r.rank);
  AddText(&out, "host", r.host);
  AddNumber(&out, "pid", r.pid);
  AddNumber(&out, "gpu", r.gpu);
  out["stage"] = SanitizeUtf8(r.stage);
  out["seen"] = r.seen;
  out["culprit"] = r.culprit;
  AddText(&out, "file", r.file);
  if (r.last_line > 0) out["last_line"] = r.last_line;
  AddText(&out, "last_text", r.last_text);
  AddNumber(&out, "collectives", r.collectives);
  return out;
}

OrderedJsonValue ToJson(const CallTable& t) {
  OrderedJsonValue columns = OrderedJsonValue::array();
  for (const CallColumn& c : t.columns) columns.push_back({{"ranks", c.ranks}, {"calls", Texts(c.calls)}});
  return {{"first", t.first}, {"disagree", t.disagree}, {"columns", std::move(columns)}};
}

OrderedJsonValue ToJson(const ReportCommunicator& c) {
  OrderedJsonValue out = {{"id", c.id}};
  AddText(&out, "comm_id", c.comm_id);
  out["nranks"] = c.nranks;
  out["ranks_seen"] = c.ranks_seen;
  out["stage"] = SanitizeUtf8(c.stage);
  out["ranks"] = ToJson(c.ranks);
  if (!c.calls_differ.columns.empty()) out["calls_differ"] = ToJson(c.calls_differ);
  return out;
}

OrderedJsonValue ToJson(const TransportEdge& e) {
  return {{"from", e.from}, {"to", e.to}, {"transport", SanitizeUtf8(e.transport)}, {"channels", e.channels}};
}

OrderedJsonValue ToJson(const Job& j) {
  OrderedJsonValue transports = OrderedJsonValue::object();
  for (const auto& [name, count] : j.transports) transports[SanitizeUtf8(name)] = count;
  // One by one: an initializer list would copy the large ones.
  OrderedJsonValue out = {{"nccl_versions", Texts(j.nccl_versions)}, {"hosts", j.hosts}, {"processes", j.processes}};
  out["communicators"] = ToJson(j.communicators);
  out["transports"] = std::move(transports);
  out["edges"] = ToJson(j.edges);
  out["environment"] = ToJson(j.environment);
  return out;
}

OrderedJsonValue ToJson(const Coverage& c) {
  OrderedJsonValue notes = OrderedJsonValue::object();
  for (const auto& [name, count] : c.notes) notes[SanitizeUtf8(name)] = count;
  return {{"lines", c.lines},           {"nccl", c.nccl},
          {"recognised", c.recognised}, {"unrecognised", c.unrecognised},
          {"foreign", c.foreign},       {"damaged", c.damaged},
          {"sources", c.sources},       {"bytes", c.bytes},
          {"notes", std::move(notes)}};
}

}  // namespace

std::string RenderJson(const Report& report, const RenderOptions& options) {
  OrderedJsonValue out = {{"schema", "ncclwhy.report/1"},
                          {"ncclwhy", NCCLWHY_VERSION},
                          {"language", WordsOf(options.language).code},
                          {"verdict", VerdictName(report.verdict)},
                          {"exit_status", ExitStatus(report)},
                          {"outcome", OutcomeName(report.outcome)},
                          {"outcome_evidence", ToJson(report.outcome_evidence)}};
  AddText(&out, "progress", report.progress);
  if (report.checkpoint) {
    OrderedJsonValue saved = OrderedJsonValue::object();
    AddText(&saved, "step", report.checkpoint->step);
    AddText(&saved, "file", report.checkpoint->file);
    saved["line"] = report.checkpoint->line;
    AddText(&saved, "text", report.checkpoint->text);
    out["checkpoint"] = std::move(saved);
  }
  out["attempts"] = ToJson(report.attempts);
  out["jobs"] = ToJson(report.jobs);
  out["causes"] = ToJson(report.causes);
  out["candidates"] = ToJson(report.candidates);
  if (!report.seen_before.empty()) out["seen_before"] = ToJson(report.seen_before);
  if (report.decision) out["decision"] = ToJson(*report.decision);
  out["timeline"] = ToJson(report.timeline);
  out["consequences"] = ToJson(report.consequences);
  if (!report.harmless.empty()) out["harmless"] = ToJson(report.harmless);
  out["collect"] = ToJson(report.collect);
  out["warnings"] = ToJson(report.warnings);
  out["job"] = ToJson(report.job);
  out["coverage"] = ToJson(report.coverage);
  out["problems"] = Texts(report.problems);
  return EscapeJsonHidden(out.dump(2, ' ', false, OrderedJsonValue::error_handler_t::replace)) + "\n";
}

}  // namespace ncclwhy
