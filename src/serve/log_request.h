// LogRequest: what a client wants to know about the log it sends, from the parameters of its request.
#pragma once

#include <map>
#include <string>

#include "ncclwhy/language.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// Of what a client calls its log.
inline constexpr size_t kLogNameBytes = 256;

struct LogRequest {
  std::string format = "json";
  Language language = Language::kEnglish;
  bool redact = false;
  int top = 3;
  int job = 0;  // as in AnalyzerOptions
  int attempt = 0;
  std::string name = "log";  // what the report calls the body; a label, never a path that is opened
};

// format, lang, redact, top, job, attempt, name. An unknown parameter or value is refused with a sentence: a client
// that wrote "formt" wants to know.
Result<LogRequest> ParseLogRequest(const std::multimap<std::string, std::string>& parameters);

// The media type of a format.
const char* ContentTypeOf(const std::string& format);

}  // namespace ncclwhy
