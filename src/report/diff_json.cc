// `ncclwhy.diff/1`: {schema, ncclwhy, language, same, good, bad, differences}. Members that are unknown are left out.
#include "analyze/answer_names.h"
#include "base/escape.h"
#include "ncclwhy/diff.h"
#include "ncclwhy/version.h"
#include "report/json_parts.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {

static std::string_view KindName(DifferenceKind kind) {
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

static OrderedJsonValue ToJson(const DiffSide& side) {
  const auto& comms = side.job.communicators;
  // `?` behind a name: the member is left out where its value is none (json_parts.h).
  return Object("name", side.name, "verdict", VerdictName(side.verdict), "cause?", side.cause, "title?", side.title,
                "confidence?", side.cause.empty() ? -1.0 : side.confidence, "culprits", side.culprits, "nccl_versions",
                side.job.nccl_versions, "hosts", side.job.hosts, "processes", side.job.processes, "nranks?",
                comms.empty() ? -1 : comms.front().nranks, "ranks_seen?", comms.empty() ? -1 : comms.front().ranks_seen,
                "lines", side.coverage.lines, "problems", side.problems);
}

static OrderedJsonValue ToJson(const Difference& d) {
  OrderedJsonValue out = Object("kind", KindName(d.kind), "name", d.name, "label", d.label);
  if (d.kind == DifferenceKind::kSetting) {
    PutMembers(&out, "good", d.good, "bad", d.bad);
  } else {
    PutMembers(&out, "text", d.text, "count", d.count);
  }
  // Messages that only one run printed count lines; settings have a value on both sides.
  PutMembers(&out, "who?", d.who, "file?", d.file, "line?", d.line, "weight", d.weight);
  return out;
}

std::string RenderDiffJson(const JobDiff& diff, const RenderOptions& options) {
  const OrderedJsonValue out =
      Object("schema", "ncclwhy.diff/1", "ncclwhy", NCCLWHY_VERSION, "language", WordsOf(options.language).code, "same",
             diff.same(), "good", diff.good, "bad", diff.bad, "differences", diff.differences);
  return EscapeJsonHidden(out.dump(2, ' ', false, OrderedJsonValue::error_handler_t::replace)) + "\n";
}

}  // namespace ncclwhy
