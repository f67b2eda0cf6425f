// The tables of the answer: what a report says beyond the job itself.
#pragma once

#include <span>
#include <string_view>

#include "ncclwhy/report.h"
#include "store/database.h"

namespace ncclwhy {

// Written when the report is made: a rule's query finds them empty, as the answer would be its own consequence.
struct ReportTable {
  std::string_view table;
  Status (*write)(Database& database, const Report& report);
};

// In the order of schema.sql. A view of a further part of the report is a row here, a table and a view in schema.sql
// and a section in README.md.
// Valid for the life of the program.
std::span<const ReportTable> ReportTables();

}  // namespace ncclwhy
