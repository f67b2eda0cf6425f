// LogRequest: what a client wants to know about the log it sends, from the parameters of its request.
#pragma once

#include <map>
#include <string>

#include "ncclwhy/language.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// Of what a client calls its log.
inline constexpr size_t kLogNameBytes = 256;

//    POST /analyze?format=text&lang=zh&name=node07.log
struct LogRequest {
  // A name of report/renderer.h.
  std::string format = "json";
  Language language = Language::kEnglish;
  bool redact = false;
  // Causes that the report may list.
  int top = 3;
  // 0: the worst of several jobs; attempt 0: the job as a whole.
  int job = 0;  // as in AnalyzerOptions
  int attempt = 0;
  std::string name = "log";  // what the report calls the body; a label, never a path that is opened
};

// format, lang, redact, top, job, attempt, name. An unknown parameter or value is refused with a sentence: a client
// that wrote "formt" wants to know.
// kInvalidArgument says which parameter, and what it may be; one that comes twice is refused as well.
Result<LogRequest> ParseLogRequest(const std::multimap<std::string, std::string>& parameters);

// The media type of a format.
// As the HTTP header has it. Valid for the life of the program.
const char* ContentTypeOf(const std::string& format);

}  // namespace ncclwhy
