// Refusals: what a client is told, and what is wrong with the head of its request. Without httplib, which takes longer
// to compile than the rest of the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ncclwhy {

// The body of a refusal: JSON with a name for programs and a sentence for people, and a line end.
//    {"error":{"status":413,"code":"too-large","message":"the body has 2147483648 bytes, the limit is 1073741824"}}
// The code of a status never changes: programs ask for it. A status that has none is `refused` or `internal`.
std::string RefusalBody(int status, const std::string& sentence);

// Of the head of a request that brings a log.
// Only what is needed to refuse it, as httplib tells it; nothing is parsed.
struct RequestHead {
  bool page = false;              // it is for the page's form, not for programs
  bool form = false;              // its body is multipart/form-data
  bool encoded = false;           // there is a Transfer-Encoding
  std::string transfer_encoding;  // the first
  size_t lengths = 0;             // headers Content-Length
  std::string length;             // the first
};

// What is wrong with it, before its body is read: status and sentence.
// Nothing where it may be read. Two lengths, or a length beside chunks, are refused and not guessed: a proxy in front
// may have taken the other one (request smuggling).
std::optional<std::pair<int, std::string>> WrongHead(const RequestHead& head, uint64_t max_bytes);

}  // namespace ncclwhy
