#include "serve/refusal.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/utf8.h"

namespace ncclwhy {
namespace {

const char* CodeName(int status) {
  switch (status) {
    case 400:
      return "bad-request";
    case 401:
      return "unauthorised";
    case 404:
      return "not-found";
    case 405:
      return "method-not-allowed";
    case 408:
      return "client-too-slow";
    case 411:
      return "length-required";
    case 413:
      return "too-large";
    case 415:
      return "unsupported-media-type";
    case 422:
      return "unreadable";
    case 503:
      return "busy";
    case 504:
      return "time-limit";
    default:
      return status < 500 ? "refused" : "internal";
  }
}

}  // namespace

void Answer(httplib::Response& response, int status, const std::string& body, const char* type) {
  response.status = status;
  response.set_content(body, type);
}

void Refuse(httplib::Response& response, int status, const std::string& sentence) {
  const nlohmann::ordered_json body = {
      {"error", {{"status", status}, {"code", CodeName(status)}, {"message", SanitizeUtf8(sentence)}}}};
  if (status == 503) response.set_header("Retry-After", "1");
  if (status == 401) response.set_header("WWW-Authenticate", "Bearer");
  Answer(response, status, body.dump() + "\n", "application/json");
}

std::optional<std::pair<int, std::string>> WrongHead(const httplib::Request& request, uint64_t max_bytes) {
  const bool form = request.path == "/";
  const bool chunked = request.has_header("Transfer-Encoding");
  const size_t lengths = request.get_header_value_count("Content-Length");
  if (chunked && (lengths > 0 || request.get_header_value("Transfer-Encoding") != "chunked")) {
    return std::pair(400, "a body has a Content-Length, or is sent in chunks");
  }
  if (!chunked) {
    if (lengths == 0)
      return std::pair(411, "send a log or an archive as the body, with its Content-Length or in chunks");
    const std::optional<uint64_t> length = ParseInt<uint64_t>(request.get_header_value("Content-Length"));
    if (lengths > 1 || !length) return std::pair(400, "the Content-Length is no number");
    if (*length > max_bytes) {
      return std::pair(413, fmt::format("the body has {} bytes, the limit is {}", *length, max_bytes));
    }
  }
  if (form != request.is_multipart_form_data()) {
    return std::pair(415, form ? "the page sends multipart/form-data; programs use /analyze"
                               : "forms are not read: send the log itself, several logs as an archive "
                                 "(tar cz logs | curl --data-binary @- URL)");
  }
  return std::nullopt;
}

}  // namespace ncclwhy
