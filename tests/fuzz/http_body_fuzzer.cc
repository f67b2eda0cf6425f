// What a client sends to `ncclwhy serve`, without sockets: the first line is the query of the request, the rest its
// body. Every request has an answer with a documented status, a report or a sentence; where the body was cut on its way
// does not change it.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "fuzz/check.h"
#include "hostile/visible.h"
#include "serve/log_job.h"

namespace ncclwhy::fuzz {
namespace {

constexpr uint64_t kMaxBytes = 1u << 20;
constexpr std::chrono::seconds kPatience{60};

std::multimap<std::string, std::string> Parameters(std::string_view query) {
  std::multimap<std::string, std::string> out;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const size_t equals = std::min(pair.find('='), pair.size());
    out.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
  }
  return out;
}

// Takes the first `sent` bytes of `body` in random pieces, as the server does, and analyses them when all are there.
LogAnswer Ask(const LogRequest& request, std::string_view body, Dice& dice, size_t sent) {
  UploadRoom room{kMaxBytes};
  const auto upload = std::make_shared<Upload>(kMaxBytes, &room);
  FUZZ_CHECK(upload->BeginAs(request.name).ok());
  body = body.substr(0, sent);
  const size_t longest = size_t{1} << dice.Below(14);
  while (!body.empty()) {
    const size_t n = std::min(body.size(), 1 + dice.Below(longest));
    if (Status kept = upload->Write(body.substr(0, n)); !kept.ok()) {
      FUZZ_CHECK(kept.code() == ErrorCode::kLimit);
      LogAnswer large;
      large.http_status = 413;
      large.problem = kept.message();
      return large;
    }
    body.remove_prefix(n);
  }
  LogJob job(request, {}, kMaxBytes, std::chrono::steady_clock::now() + kPatience, upload);
  std::thread worker([&job] { job.Run(); });
  std::optional<LogAnswer> answer = job.Wait();
  worker.join();
  FUZZ_CHECK(answer.has_value());
  return std::move(*answer);
}

void CheckAnswer(const LogRequest& request, const LogAnswer& answer) {
  const int status = answer.http_status;
  FUZZ_CHECK(status == 200 || status == 400 || status == 413 || status == 422);
  FUZZ_CHECK((status == 200) == answer.problem.empty());
  FUZZ_CHECK((status == 200) == !answer.body.empty());
  if (status != 200) return;
  FUZZ_CHECK(!answer.verdict.empty());
  FUZZ_CHECK((answer.verdict == "failure") == !answer.cause.empty());
  FUZZ_CHECK(answer.bytes > 0 && answer.bytes <= kMaxBytes);
  const std::string wrong = hostile::WhatIsWrong(request.format, answer.body);
  if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", request.format.c_str(), wrong.c_str());
  FUZZ_CHECK(wrong.empty());
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  const std::string_view input = fuzz::View(data, size);
  const std::string_view query = input.substr(0, input.find('\n'));
  const std::string_view body = input.substr(std::min(query.size() + 1, input.size()));
  const Result<LogRequest> request = ParseLogRequest(fuzz::Parameters(query));
  FUZZ_CHECK(request.ok() || !request.status().message().empty());
  if (!request.ok()) return 0;
  FUZZ_CHECK(*ContentTypeOf(request.value().format) != '\0');
  fuzz::Dice dice(input);
  const LogAnswer answer = fuzz::Ask(request.value(), body, dice, body.size());
  fuzz::CheckAnswer(request.value(), answer);
  const LogAnswer again = fuzz::Ask(request.value(), body, dice, body.size());
  FUZZ_CHECK(again.http_status == answer.http_status && again.body == answer.body);
  if (!body.empty())
    fuzz::CheckAnswer(request.value(), fuzz::Ask(request.value(), body, dice, dice.Below(body.size())));
  return 0;
}
