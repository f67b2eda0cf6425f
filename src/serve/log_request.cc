#include "serve/log_request.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/escape.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

Status Wrong(std::string_view name, std::string_view choices) {
  return Status::InvalidArgument(std::string(name) + " is one of " + std::string(choices));
}

// One parameter. What is not one of its values is refused, not rounded to the nearest: an answer in another form than
// the one that was asked for breaks the program that reads it.
Status Set(LogRequest* request, const std::string& name, const std::string& value) {
  if (name == "format") {
    if (FindFormat(value) == nullptr) return Wrong("format", fmt::format("{}", fmt::join(FormatNames(), ", ")));
    request->format = value;
  } else if (name == "lang") {
    if (value != "en" && value != "zh") return Wrong("lang", "en, zh");
    request->language = value == "zh" ? Language::kChinese : Language::kEnglish;
  } else if (name == "redact") {
    if (value != "0" && value != "1") return Wrong("redact", "0, 1");
    request->redact = value == "1";
    // From 1: zero would mean "not asked", which is the default of job and attempt.
  } else if (name == "top" || name == "job" || name == "attempt") {
    const std::optional<int> number = ParseInt<int>(value);
    if (!number || *number < 1 || *number > 1000) return Status::InvalidArgument(name + " is a number from 1 to 1000");
    (name == "top" ? request->top : name == "job" ? request->job : request->attempt) = *number;
  } else if (name == "name") {
    if (value.empty() || value.size() > kLogNameBytes) return Status::InvalidArgument("name has 1 to 256 bytes");
    // It comes back in the report, which a terminal or a page shows.
    request->name = EscapeTerminal(SanitizeUtf8(value));
  } else {
    return Status::InvalidArgument("there is no parameter '" + name.substr(0, 64) +
                                   "'; known are format, lang, redact, top, job, attempt, name");
  }
  return {};
}

}  // namespace

Result<LogRequest> ParseLogRequest(const std::multimap<std::string, std::string>& parameters) {
  LogRequest request;
  for (const auto& [name, value] : parameters) {
    //    ?redact=1&redact=0   a proxy and this server may each count another one
    if (parameters.count(name) > 1) {
      return Status::InvalidArgument(name.substr(0, 64) + " is given more than once");
    }
    if (Status status = Set(&request, name, value); !status.ok()) return status;
  }
  return request;
}

const char* ContentTypeOf(const std::string& format) {
  const Format* const known = FindFormat(format);
  return known == nullptr ? "application/octet-stream" : known->media_type;
}

}  // namespace ncclwhy
