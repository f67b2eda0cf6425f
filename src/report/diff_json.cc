// `ncclwhy.diff/1`: {schema, ncclwhy, language, same, good, bad, differences}. Members that are unknown are left out.
#include <cmath>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/utf8.h"
#include "ncclwhy/diff.h"
#include "ncclwhy/version.h"
#include "report/json_parts.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

std::string_view KindName(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kSetting:
      return "different";
    case DifferenceKind::kOnlyBad:
      return "only-bad";
    case DifferenceKind::kOnlyGood:
      break;
  }
  return "only-good";
}

OrderedJsonValue ToJson(const DiffSide& side) {
  OrderedJsonValue out = {{"name", SanitizeUtf8(side.name)}, {"verdict", VerdictName(side.verdict)}};
  AddText(&out, "cause", side.cause);
  AddText(&out, "title", side.title);
  if (!side.cause.empty() && std::isfinite(side.confidence)) {
    out["confidence"] = std::round(side.confidence * 1000) / 1000;
  }
  OrderedJsonValue culprits = OrderedJsonValue::array();
  for (const Culprit& c : side.culprits) {
    OrderedJsonValue culprit = OrderedJsonValue::object();
    if (c.rank >= 0) culprit["rank"] = c.rank;
    AddText(&culprit, "host", c.host);
    if (c.pid >= 0) culprit["pid"] = c.pid;
    AddText(&culprit, "why", c.why);
    culprits.push_back(std::move(culprit));
  }
  out["culprits"] = std::move(culprits);
  OrderedJsonValue versions = OrderedJsonValue::array();
  for (const std::string& version : side.job.nccl_versions) versions.push_back(SanitizeUtf8(version));
  out["nccl_versions"] = std::move(versions);
  out["hosts"] = side.job.hosts;
  out["processes"] = side.job.processes;
  if (!side.job.communicators.empty()) {
    out["nranks"] = side.job.communicators.front().nranks;
    out["ranks_seen"] = side.job.communicators.front().ranks_seen;
  }
  out["lines"] = side.coverage.lines;
  OrderedJsonValue problems = OrderedJsonValue::array();
  for (const std::string& problem : side.problems) problems.push_back(SanitizeUtf8(problem));
  out["problems"] = std::move(problems);
  return out;
}

OrderedJsonValue ToJson(const Difference& d) {
  OrderedJsonValue out = {{"kind", KindName(d.kind)}, {"name", SanitizeUtf8(d.name)}, {"label", SanitizeUtf8(d.label)}};
  if (d.kind == DifferenceKind::kSetting) {
    out["good"] = SanitizeUtf8(d.good);
    out["bad"] = SanitizeUtf8(d.bad);
  } else {
    out["text"] = SanitizeUtf8(d.text);
    out["count"] = d.count;
  }
  AddText(&out, "who", d.who);
  AddText(&out, "file", d.file);
  if (d.line > 0) out["line"] = d.line;
  out["weight"] = d.weight;
  return out;
}

}  // namespace

std::string RenderDiffJson(const JobDiff& diff, const RenderOptions& options) {
  OrderedJsonValue differences = OrderedJsonValue::array();
  for (const Difference& d : diff.differences) differences.push_back(ToJson(d));
  const OrderedJsonValue out = {{"schema", "ncclwhy.diff/1"},
                                {"ncclwhy", NCCLWHY_VERSION},
                                {"language", WordsOf(options.language).code},
                                {"same", diff.same()},
                                {"good", ToJson(diff.good)},
                                {"bad", ToJson(diff.bad)},
                                {"differences", std::move(differences)}};
  return EscapeJsonHidden(out.dump(2, ' ', false, OrderedJsonValue::error_handler_t::replace)) + "\n";
}

}  // namespace ncclwhy
