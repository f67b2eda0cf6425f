// Refusals: what a client is told, and what is wrong with the head of its request.
#pragma once

#include <httplib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ncclwhy {

void Answer(httplib::Response& response, int status, const std::string& body, const char* type);

// As JSON, with a name for programs and a sentence for people.
void Refuse(httplib::Response& response, int status, const std::string& sentence);

// What is wrong with the head of a request that brings a log, before its body is read: status and sentence.
std::optional<std::pair<int, std::string>> WrongHead(const httplib::Request& request, uint64_t max_bytes);

}  // namespace ncclwhy
