// Logs that were exported with the newest line first: a cloud's log explorer, `logcli query`, Kibana's CSV, `journalctl
// -r`. Read so, work seems to stop where it began, and causes follow what they caused.
//
//   {"textPayload":"Job completed successfully.", … "timestamp":"2025-03-02T22:51:01.412Z"}
//   {"textPayload":"Finished tearing down training program.", … "timestamp":"2025-03-02T22:50:40.412Z"}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/source_digest.h"

namespace ncclwhy {

// Whether the stamps of the lines run backwards: nearly all that differ from the one before, and a few at least. Lines
// without a stamp say nothing. The last line of `text` may be cut.
bool RunsBackwards(std::string_view text);

struct OldestFirst {
  std::string text;
  std::vector<SourcePart> parts;  // which lines of it are which lines of the file `name`
};

// `text`, which RunsBackwards, from its end. A line without a stamp stays behind the one that it stands behind, as it
// is its rest (a traceback in one field).
OldestFirst FromItsEnd(std::string_view text, const std::string& name);

}  // namespace ncclwhy
