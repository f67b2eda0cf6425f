// Text that attacks whoever reads the report (payloads.h), in every place of a log from which a report takes text and
// in every text of a report, in every format. With NCCLWHY_PAGES the pages go to that folder, where browser_test.py
// opens them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "catch.h"
#include "hostile/payloads.h"
#include "hostile/visible.h"
#include "ncclwhy/analyzer.h"
#include "report/html_parts.h"
#include "report/renderer.h"
#include "report/report_texts.h"
#include "unit/report/sample_reports.h"

namespace ncclwhy::hostile {
namespace {

// Where a report takes text from. %P is the payload.
struct Place {
  const char* name;
  const char* log;
};

constexpr const char* kFailure =
    "node1:100:101 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
    "node1:100:101 [0] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId "
    "0x1234 - Init START\n"
    "node1:100:101 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-abc to 9637892 bytes, "
    "error: "
    "No space left on device (28)\n";

constexpr Place kPlaces[] = {
    {"message",
     "node1:100:101 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-%P to 9637892 "
     "bytes, error: No space left on device (28)\n"},
    {"unknown message", "node1:100:101 [0] x.cc:1 NCCL WARN %P\n"},
    {"host",
     "%P:100:101 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-a to 9637892 bytes, "
     "error: No space left on device (28)\n"},
    {"NCCL file",
     "node1:100:101 [0] %P.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-a to 9637892 bytes, error: "
     "No space left on device (28)\n"},
    {"communicator",
     "node1:100:101 [0] NCCL INFO ncclCommInitRank comm %P rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId %P "
     "commId %P - Init START\n"},
    {"environment",
     "node1:100:101 [0] NCCL INFO NCCL_IB_HCA set by environment to %P.\n"
     "node1:100:101 [0] NCCL INFO NCCL_DEBGU set by environment to %P.\n"
     "export NCCL_%P=1 NCCL_P2P_DISABEL=%P\n"},
    {"interface",
     "node1:100:101 [0] NCCL INFO Bootstrap : Using %P:10.0.0.1<0>\n"
     "node1:100:101 [0] NCCL INFO NET/IB : Using [0]%P:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"},
    {"peer",
     "node1:100:101 [0] misc/socket.cc:442 NCCL WARN socketPollConnect: connect to %P<43437> returned Connection "
     "refused(111), exceeded error retry count (35)\n"},
    {"completion",
     "node1:100:101 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<47> with "
     "status=12 opcode=0 len=0 vendor err 129 (Recv) localGid %P remoteGids %P hca %P\n"},
    {"pod",
     "(%P pid=812, ip=10.1.62.31) RuntimeError: NCCL error: unhandled system error\n"
     "{\"log\":\"RuntimeError: %P\\n\",\"stream\":\"stdout\",\"kubernetes\":{\"pod_name\":\"%P\"}}\n"},
    {"exception", "[rank0]: Traceback (most recent call last):\n[rank0]: ValueError: %P\n"},
    {"kernel",
     "[131453.740743] NVRM: Xid (PCI:%P): 79, pid=100, name=%P, GPU has fallen off the bus.\n"
     "[131453.7] Out of memory: Killed process 100 (%P) total-vm:1kB\n"},
    {"version", "node1:100:101 [0] NCCL INFO NCCL version %P+cuda%P\nNCCL version %P\n"},
    {"channel", "node1:100:101 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via %P\n"},
    {"collective",
     "node1:100:101 [0] NCCL INFO %P: opCount 1f sendbuff 0x7f recvbuff 0x7f count 5 datatype 7 op 0 root 0 "
     "comm %P [nranks=4] stream 0x1\n"},
};

std::string Fill(std::string_view log, std::string_view payload) {
  std::string out(log);
  for (size_t at = 0; (at = out.find("%P", at)) != std::string::npos; at += payload.size()) out.replace(at, 2, payload);
  return out;
}

Report Analysed(const std::string& name, const std::string& log, bool redact) {
  AnalyzerOptions options;
  options.redact = redact;
  options.top = 10;
  auto analyzer = Analyzer::Create(std::move(options)).take();
  REQUIRE(analyzer->Begin(name).ok());
  REQUIRE(analyzer->Push(log).ok());
  REQUIRE(analyzer->EndSource().ok());
  Result<Report> report = analyzer->Finish();
  REQUIRE(report.ok());
  return report.take();
}

size_t texts = 0;

void CheckEveryFormat(const Report& report) {
  ++texts;
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    for (const std::string& format : FormatNames()) {
      ReportFormat options;
      options.language = language;
      options.width = 100;
      const Result<std::string> text = RenderReport(report, format, options);
      CAPTURE(format);
      REQUIRE(text.ok());
      CHECK(WhatIsWrong(format, text.value()) == "");
    }
  }
}

// A page as the renderer frames it, with `body` in it.
std::string Page(const std::string& body) {
  return "<html><meta content=\"script-src 'sha256-" + Sha256Base64(HtmlScript()) + "'\"><body>" + body + "<script>" +
         std::string(HtmlScript()) + "</script></body></html>";
}

TEST_CASE("the checker sees what it should see", "[hostile]") {
  CHECK(WhatIsWrong("text", "a\x1b[0mb") != "");
  CHECK(WhatIsWrong("text", "a\xe2\x80\xae") != "");
  CHECK(WhatIsWrong("text", "a\xff") != "");
  CHECK(WhatIsWrong("json", "{\"a\": 1") != "");
  CHECK(WhatIsWrong("html", Page("<p>a</p><script>")) != "");
  CHECK(WhatIsWrong("html", Page("<p>a")) != "");
  CHECK(WhatIsWrong("html", Page("<p title=\"a\" onclick=\"b\">a</p>")) != "");
  CHECK(WhatIsWrong("html", Page("<p>a & b</p>")) != "");
  CHECK(WhatIsWrong("html", Page("<p src=x>a</p>")) != "");
  CHECK(WhatIsWrong("html", Page("<a href=\"javascript:a\">a</a>")) != "");
  CHECK(WhatIsWrong("html", Page("<p>&lt;img src=x onerror=y</p>")) == "");
  CHECK(WhatIsWrong("html", "<html><body></body></html>") != "");
  CHECK(WhatIsWrong("junit", "<a><b></a></b>") != "");
  CHECK(WhatIsWrong("github", "::set-env name=a::b") != "");
  CHECK(WhatIsWrong("github", "a ##[group]") != "");
  CHECK(WhatIsWrong("text", "a\n  ::error::b") != "");
  CHECK(WhatIsWrong("text", "a\n::ffff:10.0.0.9") == "");
  CHECK(WhatIsWrong("markdown", "see GH-123") != "");
  CHECK(WhatIsWrong("markdown", "a <img src=x>") != "");
  CHECK(WhatIsWrong("markdown", "```\na") != "");
  CHECK(WhatIsWrong("markdown", "`<img src=x>`") == "");
  CHECK(WhatIsWrong("markdown", "``` ` <img src=x> ```\n") == "");
  CHECK(WhatIsWrong("markdown", "`a` <img src=x> `b`") != "");
  CHECK(WhatIsWrong("markdown", "``a` <img src=x>") != "");
  CHECK(WhatIsWrong("html", Page("<p title=\"a\">a &amp; b<br></p>")) == "");
}

TEST_CASE("no payload comes out of any format unescaped", "[hostile]") {
  for (const Payload& payload : Payloads()) {
    for (const Place& place : kPlaces) {
      const std::string log = kFailure + Fill(place.log, payload.text);
      CAPTURE(payload.name, place.name);
      CheckEveryFormat(Analysed("rank0.log", log, false));
    }
  }
}

TEST_CASE("nor as a whole line, in front of a line or in the name of a file", "[hostile]") {
  for (const Payload& payload : Payloads()) {
    CAPTURE(payload.name);
    const std::string log = payload.text + "\n" + payload.text + kFailure + payload.text;
    CheckEveryFormat(Analysed(payload.text, log, false));
    CheckEveryFormat(Analysed(payload.text, log, true));
  }
}

// Every text of `report` is the payload, between words by which it is found. In some hundred places a long one makes a
// page that takes a browser minutes.
Report Everywhere(Report report, std::string payload) {
  payload.resize(std::min<size_t>(payload.size(), 2000));
  ForEachText(&report, [&](TextIs, std::string* text) { *text = "begin " + payload + " end"; });
  return report;
}

TEST_CASE("nor as any text of a report", "[hostile]") {
  using namespace ncclwhy::testing;
  const Report reports[] = {FailureReport(),     HealthyReport(),      DegradedReport(),
                            SeveralJobsReport(), UndeterminedReport(), NoNcclReport()};
  const char* pages = std::getenv("NCCLWHY_PAGES");
  size_t page = 0;
  for (const Payload& payload : Payloads()) {
    for (const Report& sample : reports) {
      CAPTURE(payload.name, static_cast<int>(sample.verdict));
      const Report report = Everywhere(sample, payload.text);
      CheckEveryFormat(report);
      if (pages == nullptr) continue;
      for (const Language language : {Language::kEnglish, Language::kChinese}) {
        ReportFormat options;
        options.language = language;
        std::ofstream(std::filesystem::path(pages) / ("page" + std::to_string(page++) + ".html"), std::ios::binary)
            << RenderReport(report, "html", options).take();
      }
    }
  }
}

TEST_CASE("no text of a report is left out of these tests", "[hostile]") {
  Report report = ncclwhy::testing::SeveralJobsReport();
  ForEachText(&report, [](TextIs, std::string* text) { *text = "MARK"; });
  const std::string json = RenderReport(report, "json", {}).take();
  // Of the sample's own texts only words of ours are left.
  for (const char* word : {"gpu-a1", "rank0.log", "rank3.log", "docker", "/dev/shm", "nccl-x8", "mlx5", "SHM", "0x6b",
                           "2.28.9", "10:00:0", "job 1", "srun", "NCCL_IB"}) {
    CAPTURE(word);
    CHECK(json.find(word) == std::string::npos);
  }
}

TEST_CASE("the cause is found in spite of hostile lines around it", "[hostile]") {
  for (const Payload& payload : Payloads()) {
    CAPTURE(payload.name);
    const Report report = Analysed("rank0.log", payload.text + "\n" + kFailure + payload.text + "\n", false);
    REQUIRE(report.verdict == Verdict::kFailure);
    CHECK(report.causes[0].id == "shm.too-small");
  }
  std::printf("%zu hostile texts, each in %zu formats and languages\n", texts, 2 * FormatNames().size());
}

}  // namespace
}  // namespace ncclwhy::hostile
