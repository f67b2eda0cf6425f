// The tables of the answer: what a report says beyond the job itself.
#pragma once

#include <span>
#include <string_view>

#include "ncclwhy/report.h"
#include "store/database.h"

namespace ncclwhy {

struct ReportTable {
  std::string_view table;
  Status (*write)(Database& database, const Report& report);
};

// In the order of schema.sql. A view of a further part of the report is a row here, a table and a view in schema.sql
// and a section in README.md.
std::span<const ReportTable> ReportTables();

}  // namespace ncclwhy
