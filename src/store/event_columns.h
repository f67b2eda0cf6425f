// EventColumns: what stands in the row of `_event` for an event of a source.
#pragma once

#include <string>
#include <string_view>

#include "job/job_model.h"
#include "store/comm_lookup.h"
#include "store/json_text.h"

namespace ncclwhy {

// As in schema.sql.
// The order is that of the columns: a row is filled by counting through it, and the virtual table is asked by number.
enum class EventColumn : int {
  kId,
  kSource,
  kLine,
  kOffset,
  kTime,
  kProcess,
  kTid,
  kDevice,
  kCommunicator,
  kLevel,
  kSubsystem,
  kKind,
  kFile,
  kFileLine,
  kMessage,
  kFields,
  kDialect,
  kCount_
};

// NCCL's subsystem for a kind of line. Lines do not print it; where one kind belongs to several, the usual one.
//    node07:4711:4711 [0] NCCL INFO Using network IB     NET, although nothing of the line says so
// Empty where NCCL's subsystem is not known, for lines of others too.
std::string_view SubsystemOf(EventKind kind);

// Calls are rows of `_collective`.
inline bool IsEventRow(const Event& event) { return event.kind != EventKind::kCollective; }

// The same code makes the rows of a file and those of memory, so both say the same of an event. Borrows the model. Not
// thread-safe, as it keeps the text of `fields`.
class EventColumns {
 public:
  // Linear in the ranks, for the lookup of communicators.
  explicit EventColumns(const JobModel& model) : model_(model), lookup_(model) {}

  // Hands one value to `out`: an Insert, or what has the same functions. Text lives as long as the model, that of
  // `fields` until those of another event are asked for.
  template <typename Out>
  void Put(SourceId source, const Event& event, EventColumn column, Out& out);

 private:
  // A JSON object, valid until the next call. Made only where a query reads `fields`.
  const std::string& Fields(const SourceFacts& facts, const Event& event);

  const JobModel& model_;
  CommLookup lookup_;
  std::string fields_;
  const Event* fields_of_ = nullptr;  // whose `fields_` are; events stay where they are as long as the model
};

template <typename Out>
void EventColumns::Put(SourceId source, const Event& event, EventColumn column, Out& out) {
  const SourceFacts& facts = *model_.sources[source.value];
  const auto process = [&] { return model_.ProcessOf(source, event.process, event.launcher_rank); };
  switch (column) {
    case EventColumn::kSource:
      out.Integer(source.value);
      return;
    case EventColumn::kLine:
      out.Integer(event.line);
      return;
    case EventColumn::kOffset:
      out.Integer(static_cast<int64_t>(event.offset));
      return;
    case EventColumn::kTime:
      out.TextOrNull(facts.Str(event.time));
      return;
    case EventColumn::kProcess: {
      const ProcessId id = process();
      id.valid() ? out.Integer(id.value) : out.Null();
      return;
    }
    case EventColumn::kTid:
      out.IntegerOrNull(event.tid, 0);
      return;
    case EventColumn::kDevice:
      out.IntegerOrNull(event.device, kNoDevice);
      return;
    case EventColumn::kCommunicator: {
      const CommId id = lookup_.Find(process(), facts.Get(event, FieldId::kComm), source, event.line).communicator;
      id.valid() ? out.Integer(id.value) : out.Null();
      return;
    }
    case EventColumn::kLevel:
      out.TextOrNull(LevelName(event.level));
      return;
    case EventColumn::kSubsystem:
      out.TextOrNull(SubsystemOf(event.kind));
      return;
    case EventColumn::kKind:
      out.Text(EventKindName(event.kind));
      return;
    case EventColumn::kFile:
      out.TextOrNull(facts.Str(event.nccl_file));
      return;
    case EventColumn::kFileLine:
      out.IntegerOrNull(event.nccl_line, 0);
      return;
    case EventColumn::kMessage:
      out.TextOrNull(facts.Str(event.text));
      return;
    case EventColumn::kFields:
      out.Text(Fields(facts, event));
      return;
    case EventColumn::kDialect:
      out.Text(DialectName(event.dialect));
      return;
    case EventColumn::kId:
    case EventColumn::kCount_:
      out.Null();
  }
}

}  // namespace ncclwhy
