// Page: GET /, a form to paste logs into or drop them on. It works without script and loads nothing.
#pragma once

#include <cstdint>
#include <string>

#include "ncclwhy/language.h"

namespace ncclwhy {

// What the page tells its reader, beside what is always the same.
struct PageFacts {
  // As the server's options have them: of one log after decompression, of one request.
  uint64_t max_bytes = 0;
  int timeout_seconds = 0;
  bool needs_token = false;
  // Plain text; it is escaped here.
  std::string problem;  // why there is no answer; empty on the first visit
};

// HTML of some 4 KB, in English: whole, without another request. The report may come in Chinese.
std::string FrontPage(const PageFacts& facts);

// The Content-Security-Policy header of it: its one style by hash, forms to this server only.
// No script, no picture, no frame; the report that answers has a policy of its own.
std::string FrontPagePolicy();

// GET /openapi.json. Formats and parameters are those of log_request.h.
std::string OpenApiDocument();

}  // namespace ncclwhy
