// The timeline in SQLite: in memory while a job is analysed, or in a file that people query later.
//
// Thread safety: an object is used by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/timeline.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// A new timeline.
//
// `path` is a file, "" or ":memory:". A file is written by AddReport as a whole (timeline_file.h): a timeline that
// stands there is replaced, any other file is refused now. Queries are answered from memory as with "": there tables
// are filled when a query first reads them: the model and what it borrows from must live until AddReport, and
// afterwards only what was filled can be read, which `event` never is. With ":memory:" everything is filled by Load.
//    OpenTimeline("")           rules of one analysis: tables are filled when a query reads them
//    OpenTimeline("job.db")     the same, and a file at the end
//    OpenTimeline(":memory:")   all at once, for tests
Result<std::unique_ptr<Timeline>> OpenTimeline(const std::string& path);

// The answer to a query; a cell without a value is NULL.
// Cells are texts, numbers too, as `sqlite3` prints them; a BLOB is in hexadecimal digits. Owned.
struct QueryTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
};

// The file is open as long as this lives. It may be replaced meanwhile: this one then goes on reading the old one.
class ReadOnlyTimeline {
 public:
  virtual ~ReadOnlyTimeline() = default;
  // One SELECT over the public views; the same limits as Timeline::Query.
  virtual Result<QueryTable> Select(std::string_view sql) = 0;
  // The same, for who asks for columns by name.
  virtual Result<std::vector<QueryRow>> Query(std::string_view sql) = 0;
};

// A timeline file, for reading only. Refused with a sentence: what is no timeline, is damaged, or was written by a
// newer ncclwhy.
// kNotFound, kInvalidArgument for a folder, else as Database::Open and CheckIdentity say.
Result<std::unique_ptr<ReadOnlyTimeline>> OpenExisting(const std::string& path);

// From now on SQLite has limits::kQueryMemory in this process, for all that queries sort and gather: nothing of it goes
// to the disk. For a program of which nobody else uses SQLite.
// Called once, before any query. A query that needs more ends with kLimit.
void LimitQueryMemory();

}  // namespace ncclwhy
