#include "serve/refusal.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "store/json_text.h"

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

std::string RefusalBody(int status, const std::string& sentence) {
  std::string body = fmt::format(R"({{"error":{{"status":{},"code":"{}","message":)", status, CodeName(status));
  AppendJsonString(sentence, &body);
  return body + "}}\n";
}

std::optional<std::pair<int, std::string>> WrongHead(const RequestHead& head, uint64_t max_bytes) {
  //    Content-Length: 5 … Transfer-Encoding: chunked
  // Which of them ends the body, two programs tell differently.
  if (head.encoded && (head.lengths > 0 || head.transfer_encoding != "chunked")) {
    return std::pair(400, "a body has a Content-Length, or is sent in chunks");
  }
  if (!head.encoded) {
    if (head.lengths == 0) {
      return std::pair(411, "send a log or an archive as the body, with its Content-Length or in chunks");
    }
    // Digits only: `+5` and `0x5` are no lengths, nor is what does not fit into 64 bits.
    const std::optional<uint64_t> length = ParseInt<uint64_t>(head.length);
    if (head.lengths > 1 || !length) return std::pair(400, "the Content-Length is no number");
    if (*length > max_bytes) {
      return std::pair(413, fmt::format("the body has {} bytes, the limit is {}", *length, max_bytes));
    }
  }
  // curl -F sends a form where the log itself is wanted; the sentence says how to send several.
  if (head.page != head.form) {
    return std::pair(415, head.page ? "the page sends multipart/form-data; programs use /analyze"
                                    : "forms are not read: send the log itself, several logs as an archive "
                                      "(tar cz logs | curl --data-binary @- URL)");
  }
  return std::nullopt;
}

}  // namespace ncclwhy
