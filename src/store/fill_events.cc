// Events and collectives.
#include <algorithm>
#include <map>
#include <string>

#include "base/limits.h"
#include "base/numbers.h"
#include "job/collective_compare.h"
#include "store/comm_lookup.h"
#include "store/event_columns.h"
#include "store/fill.h"
#include "store/row_writer.h"

namespace ncclwhy {
namespace {

// Row by row through one prepared statement: a text is bound where it lies, in the pool of its source.
class EventFiller {
 public:
  EventFiller(const JobModel& model, Insert& insert) : model_(model), columns_(model), insert_(insert) {}

  Status Fill() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      for (const Event& event : model_.sources[s]->events) {
        if (!IsEventRow(event)) continue;
        for (int c = static_cast<int>(EventColumn::kId) + 1; c < static_cast<int>(EventColumn::kCount_); ++c) {
          columns_.Put(SourceId{s}, event, static_cast<EventColumn>(c), insert_);
        }
        if (Status status = insert_.Run(); !status.ok()) return status;
      }
    }
    return Status::Ok();
  }

 private:
  const JobModel& model_;
  EventColumns columns_;
  Insert& insert_;
};

// `_collective` has rows from one of two places, never from both: the same call would stand twice.
class CollectiveFiller {
 public:
  CollectiveFiller(const JobModel& model, Database& database)
      : model_(model), lookup_(model), rows_(database, "_collective") {}

  Status Fill() {
    for (size_t s = 0; s < model_.sources.size(); ++s) {
      const SourceId source{static_cast<uint32_t>(s)};
      const SourceFacts& facts = *model_.sources[s];
      // --timeline full keeps each call as an event; otherwise there is the window of each stream.
      const bool full = std::any_of(facts.events.begin(), facts.events.end(),
                                    [](const Event& e) { return e.kind == EventKind::kCollective; });
      if (Status status = full ? FillFromEvents(source, facts) : FillFromStreams(source, facts); !status.ok())
        return status;
    }
    return Status::Ok();
  }

 private:
  // What a call's row has beside the call. `seq` counts from 0, by process and communicator; sends and receives for
  // themselves, since each rank issues its own.
  struct Row {
    SourceId source;
    ProcessId process;
    std::string_view comm;
    int64_t seq = 0;
  };

  // The last kCollectiveWindow calls of each stream: call i stands at i modulo the window.
  Status FillFromStreams(SourceId source, const SourceFacts& facts) {
    for (const CollectiveStream& stream : facts.collectives) {
      Row row{source, model_.ProcessOf(source, stream.process, -1), facts.Str(stream.comm)};
      for (const bool p2p : {false, true}) {
        const std::vector<CollectiveCall>& window = p2p ? stream.p2p_window : stream.window;
        const uint64_t calls = p2p ? stream.p2p_calls : stream.calls;
        // A stream of 1,000,000 calls has the last 64 in its window; `seq` is still that of the whole stream.
        const uint64_t oldest = calls > window.size() ? calls - window.size() : 0;
        for (uint64_t i = oldest; i < calls && !window.empty(); ++i) {
          // A flight recorder is a ring, and may be cut.
          if (window[i % limits::kCollectiveWindow].line == 0) continue;  // lost by who recorded it
          row.seq = static_cast<int64_t>(i);
          if (Status status = Add(row, window[i % limits::kCollectiveWindow]); !status.ok()) return status;
        }
      }
    }
    return Status::Ok();
  }

  Status FillFromEvents(SourceId source, const SourceFacts& facts) {
    // Each call has its line then, and is counted as the stream did.
    // By process and pointer.
    std::map<std::pair<uint32_t, std::string_view>, std::pair<int64_t, int64_t>> counts;  // collectives, p2p
    for (const Event& event : facts.events) {
      if (event.kind != EventKind::kCollective) continue;
      const auto number = [&](FieldId id) { return ParseInt(facts.Get(event, id)).value_or(0); };
      CollectiveCall call;
      const std::string_view operation = facts.Get(event, FieldId::kOperation);
      const auto* name = std::find(kCollectiveNames.begin(), kCollectiveNames.end(), operation);
      call.operation = static_cast<uint8_t>(name == kCollectiveNames.end() ? 0 : name - kCollectiveNames.begin());
      call.line = event.line;
      call.op_count = static_cast<uint64_t>(number(FieldId::kOpCount));
      call.count = static_cast<uint64_t>(number(FieldId::kCount));
      call.datatype = static_cast<uint8_t>(number(FieldId::kDatatype));
      call.op = static_cast<uint8_t>(number(FieldId::kOp));
      call.root = static_cast<int32_t>(number(FieldId::kRoot));
      Row row{source, model_.ProcessOf(source, event.process, event.launcher_rank), facts.Get(event, FieldId::kComm)};
      auto& [collectives, p2p] = counts[{row.process.value, row.comm}];
      row.seq = operation == "Send" || operation == "Recv" ? p2p++ : collectives++;
      if (Status status = Add(row, call); !status.ok()) return status;
    }
    return Status::Ok();
  }

  Status Add(const Row& row, const CollectiveCall& call) {
    // A communicator whose Init lines are not in the log has no row of its own; the rank is then the process's.
    const CommLookup::Found found = lookup_.Find(row.process, row.comm, row.source, call.line);
    const int32_t rank = found.communicator.valid() ? found.rank
                         : row.process.valid()      ? model_.RankOf(row.process)
                                                    : -1;
    return rows_.Add("communicator", found.communicator, "rank?", rank, "process", row.process, "source", row.source,
                     "line", call.line, "seq", row.seq, "operation",
                     kCollectiveNames[call.operation % kCollectiveNames.size()], "count", call.count, "datatype",
                     DatatypeName(call.datatype), "op", ReductionName(call.op), "root", call.root, "op_count",
                     call.op_count);
  }

  const JobModel& model_;
  CommLookup lookup_;
  RowWriter rows_;
};

}  // namespace

Status FillEvents(Database& database, const JobModel& model) {
  // As many marks as EventColumn has values, but for the id, which SQLite counts.
  auto insert = Insert::Prepare(database, "INSERT INTO _event VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!insert.ok()) return insert.status();
  return EventFiller(model, insert.value()).Fill();
}

Status FillCollectives(Database& database, const JobModel& model) { return CollectiveFiller(model, database).Fill(); }

}  // namespace ncclwhy
