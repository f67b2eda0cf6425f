// Fills the private tables from a job model, each by itself, so that a query pays only for what it reads.
#pragma once

#include <span>
#include <string_view>

#include "job/job_model.h"
#include "store/database.h"

namespace ncclwhy {

// A function of the model alone: the same model makes the same rows, in the same order.
struct TableFiller {
  std::string_view table;
  Status (*fill)(Database& database, const JobModel& model);
  // SQL, IF NOT EXISTS: in memory a table may be emptied and filled again.
  const char* indexes;  // made when the table is full; may be null
};

// Every table that a job model fills, in the order of schema.sql.
// Calls nothing; valid for the life of the program.
std::span<const TableFiller> TableFillers();
// Its rows, then its indexes.
Status FillTable(Database& database, const TableFiller& filler, const JobModel& model);

// Those that are of some length.
// Calls of collectives are not among them.
Status FillEvents(Database& database, const JobModel& model);
// With `--timeline full` every call, else what the windows of the streams hold.
Status FillCollectives(Database& database, const JobModel& model);

}  // namespace ncclwhy
