// Status and Result: how every fallible call of this project reports an error.
//
// Bad *input* (torn, cut, binary, hostile log text) is never an error: it is counted in the coverage. Only unusable
// files, rules, knowledge, databases or outputs are. No exception crosses a library boundary.
//
// Thread safety: plain values; share them like a std::string.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ncclwhy {

enum class ErrorCode {
  kOk = 0,
  kInvalidArgument,  // the caller asked for something that makes no sense (wrong option, malformed SQL)
  kNotFound,         // a file, id or name does not exist
  kIo,               // the system refused to read or write
  kCorrupt,          // a rule, knowledge file, archive or database is damaged or of a newer version
  kLimit,            // a documented limit was reached
  kInternal,         // a defect in ncclwhy
};

// Cheap when OK (no allocation).
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  static Status InvalidArgument(std::string m) { return {ErrorCode::kInvalidArgument, std::move(m)}; }
  static Status NotFound(std::string m) { return {ErrorCode::kNotFound, std::move(m)}; }
  static Status Io(std::string m) { return {ErrorCode::kIo, std::move(m)}; }
  static Status Corrupt(std::string m) { return {ErrorCode::kCorrupt, std::move(m)}; }
  static Status Limit(std::string m) { return {ErrorCode::kLimit, std::move(m)}; }
  static Status Internal(std::string m) { return {ErrorCode::kInternal, std::move(m)}; }

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  // One sentence for a person; names the file and position where there is one. Empty when ok().
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() { return *value_; }
  const T& value() const { return *value_; }
  T&& take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace ncclwhy
