// Two processes that die at once and write into one stream.
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

Report ReportOnStream(const std::string& text) {
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(text).ok());
  REQUIRE(analyzer->EndSource().ok());
  return analyzer->Finish().take();
}

TEST_CASE("of two tracebacks that alternate both are told", "[analyze]") {
  const Report report = ReportOnStream(
      "Traceback (most recent call last):\nTraceback (most recent call last):\n"
      "  File \"/opt/app/train.py\", line 88, in main\n"
      "  File \"/opt/app/data.py\", line 40, in load\n"
      "    raise RuntimeError(\"loss is nan\")\n    f = open(path)\n"
      "RuntimeError: loss is nan\n"
      "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-5.bin'\n");
  REQUIRE(!report.causes.empty());
  std::string lines;
  for (const Evidence& e : report.causes[0].evidence) lines += std::to_string(e.line) + " ";
  CHECK(lines == "8 7 ");
  CHECK(report.causes[0].summary.find("data.py") == std::string::npos);       // whose frame that is nobody knows
  for (const Consequence& item : report.consequences) CHECK(item.line != 7);  // it follows from nothing
}

}  // namespace
}  // namespace ncclwhy
