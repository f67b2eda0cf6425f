#include "serve/form.h"

#include <utility>

namespace ncclwhy {
namespace {

// Of a token, or a choice.
constexpr size_t kValueBytes = 4096;
// Of a form that is refused.
constexpr uint64_t kThrownAway = 64u << 20;

}  // namespace

// What goes wrong later is often a consequence: a part without a token is refused, and then nothing was pasted.
bool Form::Refuse(int status, std::string problem) {
  if (status_ == 0) {
    status_ = status;
    problem_ = std::move(problem);
  }
  return true;
}

// A value is only whole when the next part begins: it may have come in two packets, and mean something else in between.
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
  // Parts behind a problem are not looked at, and not kept.
  if (status_ != 0) return thrown_away_ < kThrownAway;
  if (name == "token") {
    part_ = Part::kToken;
    return true;
  }
  // Before anything is kept. A page without script cannot send a header, so its token is a part.
  if (!authorised_) return Refuse(401, "This server wants a token.");
  if (name == "lang") part_ = Part::kLanguage;
  if (name == "redact") part_ = Part::kRedact;
  if (name == "text" || name == "logs") {
    part_ = name == "text" ? Part::kText : Part::kLogs;
    const Status begun = upload_->Begin(name == "text" ? "pasted" : file_name);
    if (!begun.ok()) return Refuse(begun.code() == ErrorCode::kLimit ? 413 : 503, begun.message());
    // Told, as on /analyze: a field that is misspelled would else change nothing, in silence.
  } else if (part_ == Part::kNone) {
    return Refuse(400, "The form has a part that is not known here.");
  }
  return true;
}

bool Form::Write(std::string_view bytes) {
  // The reading ends: who is so slow would not get to the answer in time either.
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
