// A timeline as a file: written beside its place and renamed when it is whole, so that a reader, a full disk or a kill
// at any moment finds the old file or the new one. Nothing reads it while a job is analysed.
//
// The unfinished file is `PATH.part`. One is left behind by a run that was killed; the next run takes it over. Two runs
// at once: the later one is refused.
#pragma once

#include <functional>
#include <string>

#include "ncclwhy/status.h"
#include "store/database.h"

namespace ncclwhy {

// Whether `path` may be replaced: nothing stands there, or a timeline of this or an older format that nobody uses.
// Asked before the logs are read: an hour of reading must not end with "cannot be written". kInvalidArgument for a
// folder or device, kCorrupt for what is no timeline, kIo for what is in use.
Status CheckReplaceable(const std::string& path);

// Replaces `path` by what `fill` writes into an empty database. On an error the old file stands as it was.
// `fill` runs within one transaction, without a journal: the file is new, and thrown away where it fails.
Status WriteTimelineFile(const std::string& path, const std::function<Status(Database&)>& fill);

// All tables and views of schema.sql, and who made them: what CheckIdentity asks for.
Status CreateSchema(Database& database);

// Whether `database` says of itself that it is a timeline that this version reads.
// By application_id and user_version of the file, nothing else: a damaged one is found by the query that meets it.
Status CheckIdentity(Database& database);

}  // namespace ncclwhy
