#include "store/event_columns.h"

namespace ncclwhy {

std::string_view SubsystemOf(EventKind kind) {
  switch (kind) {
    case EventKind::kVersion:
    case EventKind::kDriverVersion:
    case EventKind::kPlugin:
    case EventKind::kNetChoice:
    case EventKind::kCommInitStart:
    case EventKind::kCommInitComplete:
    case EventKind::kCommTopology:
    case EventKind::kInitTimings:
    case EventKind::kCommAbort:
    case EventKind::kCommDestroy:
    case EventKind::kCommRevoke:
    case EventKind::kConnected:
    case EventKind::kConnection:
    case EventKind::kRing:
      return "INIT";
    case EventKind::kEnvironment:
      return "ENV";
    case EventKind::kBootstrapInterface:
      return "BOOTSTRAP";
    case EventKind::kNetDevices:
    case EventKind::kGdr:
    case EventKind::kIbCompletion:
    case EventKind::kIbAsyncEvent:
    case EventKind::kIbQp:
      return "NET";
    case EventKind::kTopology:
      return "GRAPH";
    case EventKind::kNvls:
      return "NVLS";
    case EventKind::kCollective:
      return "COLL";
    case EventKind::kCall:
      return "CALL";
    case EventKind::kProxy:
      return "PROXY";
    case EventKind::kRegistration:
      return "REG";
    case EventKind::kRas:
      return "RAS";
    // Lines of others (PyTorch, the kernel, Slurm), and those of NCCL that belong to none: the column is NULL.
    default:
      return {};
  }
}

// {"comm":"0x7f53f1f89010","rank":0}
// A query asks for several members of one event, and each asks for the whole object.
const std::string& EventColumns::Fields(const SourceFacts& facts, const Event& event) {
  if (fields_of_ == &event) return fields_;
  fields_of_ = &event;
  fields_ = "{";
  for (uint32_t i = 0; i < event.field_count; ++i) {
    const Field& field = facts.fields[event.field_begin + i];
    if (i != 0) fields_ += ',';
    AppendJsonString(FieldName(field.id), &fields_);
    fields_ += ':';
    AppendJsonValue(facts.Str(field.value), &fields_);
  }
  fields_ += '}';
  return fields_;
}

}  // namespace ncclwhy
