// Form: what the page's form sends, part by part: token, text, logs, lang, redact. Logs are kept until all have come.
//
// One thread, of one request.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serve/access.h"
#include "serve/log_request.h"
#include "serve/upload.h"

namespace ncclwhy {

// The parts come in the order in which the page has its fields: the token first, so that no log of a stranger is kept
// on the disk. What is wrong is remembered and not told at once: a browser reads no answer before it has sent
// everything.
class Form {
 public:
  // `authorised`: the head had a bearer's token already. `access` and `room` are borrowed; `max_bytes` counts what is
  // sent, before any decompression.
  Form(const Access& access, bool authorised, uint64_t max_bytes, UploadRoom* room, Deadline deadline)
      : access_(access),
        authorised_(authorised),
        deadline_(deadline),
        upload_(std::make_shared<Upload>(max_bytes, room)) {}

  // False ends the reading. After a problem the rest is read and thrown away, within limits, so that the browser gets
  // to reading the answer.
  // A part begins, and the one before is over. A token has to come before logs.
  //    Content-Disposition: form-data; name="logs"; filename="node07.log"
  bool Begin(std::string_view name, std::string_view file_name);
  // The next bytes of the part.
  bool Write(std::string_view bytes);

  // 0, or the status to refuse with, and why.
  // 401 token, 400 unknown part or nothing in the form, 413 too large, 503 no room now, 504 too slow.
  int status() const { return status_; }
  const std::string& problem() const { return problem_; }
  // To be asked when all parts have come.
  void Finish();

  // For an HTML report.
  LogRequest page_request() const {
    LogRequest request = request_;
    request.format = "html";
    return request;
  }
  // Shared with the job, which may outlive this request where the deadline comes first.
  const std::shared_ptr<Upload>& upload() const { return upload_; }

 private:
  enum class Part { kNone, kToken, kText, kLogs, kLanguage, kRedact };
  // The first reason counts. True: go on reading, to throw it away.
  bool Refuse(int status, std::string problem);
  // Uses the short text that a part held.
  void EndPart();

  const Access& access_;
  bool authorised_;
  // The request's: a form that drips in is refused when it comes.
  const Deadline deadline_;
  std::shared_ptr<Upload> upload_;
  LogRequest request_;
  Part part_ = Part::kNone;
  std::string value_;  // of a part that is a short text
  int status_ = 0;
  std::string problem_;
  // Bytes that came behind the problem.
  uint64_t thrown_away_ = 0;
};

}  // namespace ncclwhy
