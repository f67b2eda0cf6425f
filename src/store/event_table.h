// EventTable: `_event` of a timeline in memory. A virtual table: its rows are read from the job model when a query asks
// for them, so that nobody pays for the columns of thousands of events that no query looks at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "store/database.h"
#include "store/event_columns.h"

namespace ncclwhy {

// Not thread-safe: indexes are made while queries run, in the thread that steps them. Ids are rows counted from 1,
// those that the table of a file has.
class EventTable {
 public:
  // The table of a file and this one have one name, so views and queries are the same text for both.
  static constexpr std::string_view kName = "_event";
  static constexpr const char* kCreate = "CREATE VIRTUAL TABLE _event USING ncclwhy_event";

  // Makes kCreate possible. The table must outlive the database.
  // Once for a database.
  Status Register(Database& database);
  // What the table shows from now on; borrowed.
  // Linear in the events; indexes are made by the questions below.
  // The model before may be gone: nothing of it is read any more.
  void Show(const JobModel& model);

  // Numbers of rows, from 0, in the order in which the indexes of `_event` on disk would give them.
  // Empty for a kind, or a process, that there is none of. Valid until Show.
  std::span<const uint32_t> OfKind(std::string_view kind);
  std::span<const uint32_t> OfProcess(uint32_t process);
  std::span<const uint32_t> Of(uint32_t process, std::string_view kind);
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }

  // See EventColumns::Put; kId is not asked for, as it is the number of the row.
  template <typename Out>
  void Put(uint32_t row, EventColumn column, Out& out) {
    columns_->Put(SourceId{rows_[row].source}, *rows_[row].event, column, out);
  }

 private:
  struct Row {
    const Event* event;
    uint32_t source;
  };
  // Once for a model, when a query first asks for a kind.
  // Counting sort over all rows.
  void IndexKinds();
  // The same for processes; the more costly one, as each event's process is looked up.
  void IndexProcesses();

  const JobModel* model_ = nullptr;
  std::unique_ptr<EventColumns> columns_;
  // All events but calls, by source and in its order. Pointers into the model.
  std::vector<Row> rows_;
  std::vector<uint32_t> by_kind_;       // rows in the order of the kind's number
  std::vector<uint32_t> kind_ends_;     // kind k is by_kind_[kind_ends_[k] .. kind_ends_[k + 1])
  std::vector<uint32_t> by_process_;    // rows in the order of process, name of the kind
  std::vector<uint32_t> process_ends_;  // as kind_ends_
};

}  // namespace ncclwhy
