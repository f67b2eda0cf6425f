#include "serve/form.h"

#include <utility>

namespace ncclwhy {
namespace {

// Of a token, or a choice.
constexpr size_t kValueBytes = 4096;
// Of a form that is refused.
constexpr uint64_t kThrownAway = 64u << 20;

}  // namespace

bool Form::Refuse(int status, std::string problem) {
  if (status_ == 0) {
    status_ = status;
    problem_ = std::move(problem);
  }
  return true;
}

void Form::EndPart() {
  if (part_ == Part::kToken) {
    authorised_ = access_.IsToken(value_);
    if (!authorised_) Refuse(401, "The token is not the one that this server knows.");
  } else if (part_ == Part::kLanguage) {
    request_.language = value_ == "zh" ? Language::kChinese : Language::kEnglish;
  } else if (part_ == Part::kRedact) {
    request_.redact = value_ == "1";
  }
  part_ = Part::kNone;
  value_.clear();
}

bool Form::Begin(std::string_view name, std::string_view file_name) {
  EndPart();
  if (status_ != 0) return thrown_away_ < kThrownAway;
  if (name == "token") {
    part_ = Part::kToken;
    return true;
  }
  if (!authorised_) return Refuse(401, "This server wants a token.");
  if (name == "lang") part_ = Part::kLanguage;
  if (name == "redact") part_ = Part::kRedact;
  if (name == "text" || name == "logs") {
    part_ = name == "text" ? Part::kText : Part::kLogs;
    const Status begun = upload_->Begin(name == "text" ? "pasted" : file_name);
    if (!begun.ok()) return Refuse(begun.code() == ErrorCode::kLimit ? 413 : 503, begun.message());
  } else if (part_ == Part::kNone) {
    return Refuse(400, "The form has a part that is not known here.");
  }
  return true;
}

bool Form::Write(std::string_view bytes) {
  if (std::chrono::steady_clock::now() > deadline_) return Refuse(504, "The upload took too long."), false;
  if (status_ != 0) return (thrown_away_ += bytes.size()) < kThrownAway;
  if (part_ == Part::kText || part_ == Part::kLogs) {
    const Status written = upload_->Write(bytes);
    if (!written.ok()) return Refuse(written.code() == ErrorCode::kLimit ? 413 : 503, written.message());
  } else if (value_.size() + bytes.size() > kValueBytes) {
    return Refuse(400, "A field of the form is too long.");
  } else {
    value_ += bytes;
  }
  return true;
}

void Form::Finish() {
  EndPart();
  if (status_ == 0 && !authorised_) Refuse(401, "This server wants a token.");
  if (status_ == 0 && upload_->Logs().empty()) Refuse(400, "Nothing was pasted, and no file was chosen.");
}

}  // namespace ncclwhy
