// Page: GET /, a form to paste logs into or drop them on. It works without script and loads nothing.
#pragma once

#include <cstdint>
#include <string>

#include "ncclwhy/language.h"

namespace ncclwhy {

struct PageFacts {
  uint64_t max_bytes = 0;
  int timeout_seconds = 0;
  bool needs_token = false;
  std::string problem;  // why there is no answer; empty on the first visit
};

std::string FrontPage(const PageFacts& facts);

// The Content-Security-Policy header of it: its one style by hash, forms to this server only.
std::string FrontPagePolicy();

// GET /openapi.json. Formats and parameters are those of log_request.h.
std::string OpenApiDocument();

}  // namespace ncclwhy
