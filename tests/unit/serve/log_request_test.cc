#include "serve/log_request.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("parameters of a request", "[serve]") {
  const Result<LogRequest> none = ParseLogRequest({});
  REQUIRE(none.ok());
  CHECK(none.value().format == "json");
  CHECK(none.value().language == Language::kEnglish);
  CHECK_FALSE(none.value().redact);

  const Result<LogRequest> all = ParseLogRequest(
      {{"format", "html"}, {"lang", "zh"}, {"redact", "1"}, {"top", "5"}, {"name", "../../etc/passwd"}});
  REQUIRE(all.ok());
  CHECK(all.value().format == "html");
  CHECK(all.value().language == Language::kChinese);
  CHECK(all.value().redact);
  CHECK(all.value().top == 5);
  CHECK(all.value().name == "../../etc/passwd");
  CHECK(ParseLogRequest({{"name", "a\x1b[31m\n"}}).value().name.find_first_of("\x1b\n") == std::string::npos);

  const std::pair<const char*, std::string> wrong[] = {
      {"format", "pdf"}, {"format", ""}, {"lang", "fr"}, {"redact", "true"}, {"top", "0"},
      {"top", "1e9"},    {"top", ""},    {"name", ""},   {"path", "/etc"},   {"name", std::string(257, 'x')}};
  for (const auto& [name, value] : wrong) {
    INFO(name << "=" << value);
    const Result<LogRequest> request = ParseLogRequest({{name, value}});
    REQUIRE_FALSE(request.ok());
    CHECK(request.status().code() == ErrorCode::kInvalidArgument);
    CHECK(request.status().message().find(name) != std::string::npos);
  }
}

TEST_CASE("a parameter that comes twice is refused", "[serve]") {
  const Result<LogRequest> twice = ParseLogRequest({{"redact", "1"}, {"top", "2"}, {"redact", "0"}});
  REQUIRE_FALSE(twice.ok());
  CHECK(twice.status().message() == "redact is given more than once");
}

TEST_CASE("every format has a media type", "[serve]") {
  for (const char* format : {"json", "text", "markdown", "html", "sarif", "junit", "github", "summary"}) {
    CHECK(ParseLogRequest({{"format", format}}).ok());
    CHECK(std::string(ContentTypeOf(format)) != "application/octet-stream");
  }
}

}  // namespace
}  // namespace ncclwhy
