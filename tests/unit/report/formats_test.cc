// Markdown, HTML, SARIF, JUnit and GitHub.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/sha256.h"
#include "base/utf8.h"
#include "catch.h"
#include "ncclwhy/exit_status.h"
#include "report/html_parts.h"
#include "report/renderer.h"
#include "sample_reports.h"

namespace ncclwhy {
namespace {

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

size_t Count(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST_CASE("names of formats", "[report]") {
  CHECK(FormatNames().size() > 7);
  for (const std::string& name : FormatNames()) {
    REQUIRE(FindFormat(name) != nullptr);
    CHECK(FindFormat(name)->name == name);
  }
  CHECK_FALSE(FindFormat("pdf") != nullptr);
}

TEST_CASE("every format is the same twice and valid UTF-8, whatever the log held", "[report]") {
  for (const std::string& name : FormatNames()) {
    for (const Report& report : {testing::HostileReport(), testing::LargeReport(300), Report()}) {
      CAPTURE(name);
      const std::string out = FindFormat(name)->render(report, {});
      CHECK(out == FindFormat(name)->render(report, {}));
      CHECK(SanitizeUtf8(out) == out);
      CHECK_FALSE(Has(out, "\x1b"));
      CHECK(out.back() == '\n');
    }
  }
}

TEST_CASE("every format has the scheduler's words, and one says what has to be found out first", "[report]") {
  Report report = testing::FailureReport();
  report.decision = Decision{Action::kRerunWithout, {"node06"}, {}, 0.9, "", "sbatch --exclude=node06 job.sh"};
  for (const std::string& name : FormatNames()) {
    if (name == "trace") continue;  // a picture of what happened
    CAPTURE(name);
    CHECK(Has(FindFormat(name)->render(report, {}), "sbatch --exclude=node06 job.sh"));
  }
  report.decision = Decision{Action::kRerun, {}, {}, 0.9, "find out first who holds the port", "", true};
  for (const std::string& name : FormatNames()) {
    if (name == "trace" || name == "json") continue;  // JSON has the words of neither, but `look_first`
    CAPTURE(name);
    const std::string out = FindFormat(name)->render(report, {});
    CHECK(Has(out, "find out first who holds the port; then rerun"));
    CHECK_FALSE(Has(out, "rerun as it is"));
  }
  CHECK(nlohmann::json::parse(RenderJson(report, {})).at("decision").at("look_first") == true);
}

TEST_CASE("the trace has a lane for each rank, with the story's steps on them", "[report]") {
  const nlohmann::json trace = nlohmann::json::parse(RenderTrace(testing::FailureReport(), {}));
  std::map<int64_t, int> lanes;  // rank -> spans
  std::set<std::pair<int64_t, int64_t>> named;
  size_t steps = 0;
  for (const auto& event : trace["traceEvents"]) {
    const std::pair<int64_t, int64_t> lane(event["pid"], event["tid"]);
    if (event["ph"] == "M") named.insert(lane);
    if (event["ph"] == "X" && event["args"].contains("rank")) ++lanes[event["args"]["rank"]];
    if (event["ph"] == "i") ++steps;
    if (event["ph"] != "M") CHECK(named.contains(lane));
    if (event["name"] == "/dev/shm is full") CHECK(event["ts"] == 2e6);
  }
  const Report report = testing::FailureReport();
  CHECK(lanes.size() == report.job.communicators.front().ranks.size());
  CHECK(std::all_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane.second == 1; }));
  CHECK(steps == report.timeline.size());
  CHECK(nlohmann::json::parse(RenderTrace(Report(), {}))["traceEvents"].size() == 3);
}

TEST_CASE("without a communicator the trace has a lane for each rank that the logs name", "[report]") {
  Report report = testing::FailureReport();
  report.job.communicators.clear();
  report.axis = TrackAxis::kSeconds;
  report.tracks = {{-1, "", false, true, {{"work", -1, 2, "step 15/30"}}},
                   {0, "gpu-a16", false, true, {{"wait", 1, 3, ""}}},
                   {3, "gpu-a17", true, true, {{"ending", 4, 4, "exited", "rank3.log", 60}}}};
  std::map<std::string, int> names;
  const nlohmann::json trace = nlohmann::json::parse(RenderTrace(report, {}));
  for (const auto& event : trace["traceEvents"]) {
    ++names[event["ph"] == "M" ? event["args"]["name"] : event["name"]];
    if (event["name"] == "works: step 15/30") CHECK(event["ts"] == 0);  // before the first step
    if (event["name"] == "exited") CHECK(event["ts"] == 5e6);
  }
  for (const char* name : {"rank 0", "rank 3 \xE2\x9C\x97", "gpu-a17", "works: step 15/30", "waits: ", "exited"}) {
    CHECK(names[name] == 1);
  }
}

// The full text without the ends of its rows.
std::string Full(const Report& report) { return std::regex_replace(RenderFull(report, {}), std::regex("\\s+"), " "); }

TEST_CASE("a host whose clock stands apart is told where its steps are drawn", "[report]") {
  Report report = testing::FailureReport();
  report.clocks = {{"gpu-a17", "gpu-a16", -37.24, 0.41, 3, 1, false}};
  report.timeline[1].moved = 37.24;
  const std::string said = "gpu-a17's clock is 37.2 s behind gpu-a16's (±0.4 s, from 3 shared events); its steps";
  CHECK(Has(RenderTrace(report, {}), said));
  CHECK(Has(RenderTrace(report, {}), "(+37.2 s)"));
  CHECK(Has(RenderHtml(report, {}), "clock is 37.2 s behind"));
  CHECK_FALSE(Has(Full(report), "clock is 37.2 s behind"));  // nobody goes wrong
  report.clocks[0].misleads = true;
  CHECK(Has(Full(report), "clock is 37.2 s behind"));
  report.clocks[0].steps = 0;  // in no picture, but in the lines
  CHECK(Has(Full(report), "clock is 37.2 s behind"));
  report.clocks[0].ahead = 7322.5;
  CHECK(Has(Full(report), "clock is 2 h 2 min 2.5 s ahead of"));
  report.clocks[0].ahead = std::nullopt;
  CHECK(Has(Full(report), "gpu-a17's time stamps do not fit gpu-a16's"));
  report.clocks.assign(9, report.clocks[0]);
  CHECK(Count(Full(report), "time stamps do not fit") == 4);
  CHECK(Has(Full(report), "5 more"));
}

TEST_CASE("exit status", "[report]") {
  CHECK(ExitStatus(testing::FailureReport()) == 1);
  CHECK(ExitStatus(testing::UndeterminedReport()) == 3);
  CHECK(ExitStatus(testing::HealthyReport()) == 0);
  CHECK(ExitStatus(testing::NoNcclReport()) == 0);
  CHECK(ExitStatus(testing::DegradedReport()) == 0);
  CHECK(ExitStatus(testing::DegradedReport(), {true, false}) == 1);
  CHECK(ExitStatus(testing::UndeterminedReport(), {false, true}) == 1);
  CHECK(ExitStatus(testing::HealthyReport(), {true, true}) == 0);
  Report report = testing::FailureReport();
  report.problems = {"cannot read x"};
  CHECK(ExitStatus(report) == 2);
  CHECK(ExitStatus(report, {true, true}) == 2);
}

TEST_CASE("the exit status of several jobs is the worst", "[report]") {
  Report report = testing::SeveralJobsReport();
  report.verdict = Verdict::kHealthy;
  CHECK(ExitStatus(report) == 1);
  report.jobs.erase(report.jobs.begin());
  CHECK(ExitStatus(report) == 3);
  report.jobs.erase(report.jobs.begin());
  CHECK(ExitStatus(report) == 0);
}

TEST_CASE("Markdown says the verdict and the fix before what is folded", "[report]") {
  const std::string out = RenderMarkdown(testing::FailureReport(), {});
  CHECK(out.starts_with("## FAILURE: /dev/shm is too small\n\n`shm.too-small` 93% sure\n"));
  CHECK(out.find("### Fix") < out.find("<details>"));
  CHECK(Has(out, "```sh\n   docker run --shm-size=1g ...\n"));
  CHECK(Has(out, "`rank3.log:41`"));
}

TEST_CASE("Markdown stays below the limit and closes what it opens", "[report]") {
  Report report = testing::LargeReport(64);
  for (Consequence& item : report.consequences) item.text = std::string(3000, '*');
  for (Evidence& item : report.causes[0].evidence) item.text = std::string(3000, '`');
  for (const Report& one : {report, testing::HostileReport(), testing::LargeReport(4096)}) {
    const std::string out = RenderMarkdown(one, {});
    CHECK(DisplayWidth(out) <= kMarkdownCharacters);
    CHECK(Count(out, "<details>") == Count(out, "\n</details>\n"));
    CHECK(Has(out, "sources: "));
  }
}

// What stands outside of code blocks and code spans, by CommonMark's rules for backticks.
std::string ProseOf(const std::string& markdown) {
  std::string prose;
  size_t fence = 0;  // backticks of the block that is open
  for (size_t at = 0; at < markdown.size();) {
    const size_t end = markdown.find('\n', at);
    const std::string line = markdown.substr(at, end - at);
    at = end + 1;
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t ticks = std::min(line.find_first_not_of('`', begin), line.size()) - begin;
    const std::string rest = line.substr(begin + ticks);
    if (fence > 0) {
      if (ticks >= fence && rest.empty()) fence = 0;
      continue;
    }
    if (ticks >= 3 && !Has(rest, "`")) {
      fence = ticks;
      continue;
    }
    for (size_t i = 0; i < line.size();) {
      if (line[i] == '\\' && i + 1 < line.size()) {
        prose += line.substr(i, 2);
        i += 2;
      } else if (line[i] == '`') {
        const size_t n = std::min(line.find_first_not_of('`', i), line.size()) - i;
        size_t close = i + n;
        for (size_t run = 0; close < line.size(); close += run) {
          close = std::min(line.find('`', close), line.size());
          run = std::min(line.find_first_not_of('`', close), line.size()) - close;
          if (run == n || run == 0) break;
        }
        REQUIRE(close < line.size());
        i = close + n;
      } else {
        prose += line[i++];
      }
    }
    prose += '\n';
  }
  CHECK(fence == 0);
  return prose;
}

TEST_CASE("Markdown lets no log format, link or mention", "[report]") {
  const std::string prose = ProseOf(RenderMarkdown(testing::HostileReport(), {}));
  CHECK(Has(prose, "alert(1)"));
  CHECK_FALSE(Has(prose, "<script"));
  CHECK_FALSE(Has(prose, "<img"));
  CHECK_FALSE(Has(prose, "![a]("));
  CHECK_FALSE(Has(prose, "@team"));
  CHECK_FALSE(Has(prose, "http://"));
}

TEST_CASE("the page allows its own style and script and nothing else", "[report]") {
  const std::string out = RenderHtml(testing::FailureReport(), {});
  CHECK(Has(out, "default-src 'none'; style-src 'sha256-" + Sha256Base64(HtmlStyle()) + "'; script-src 'sha256-" +
                     Sha256Base64(HtmlScript()) + "'"));
  CHECK(Has(out, "<style>" + std::string(HtmlStyle()) + "</style>"));
  CHECK(Has(out, "<script>" + std::string(HtmlScript()) + "</script>"));
  CHECK(Count(out, "<script") == 1);
  CHECK(Count(out, "<style") == 1);
  CHECK_FALSE(Has(out, " style="));  // the policy would refuse it
  CHECK_FALSE(std::regex_search(out, std::regex(R"((src|href)="(?!https://docs|https://github\.com/example/|#e\d))")));
}

TEST_CASE("a hostile log adds no element or attribute to the page", "[report]") {
  const auto tags = [](const std::string& html) {
    std::multiset<std::string> out;
    const std::regex tag("<[a-z!/][^>]*>");
    for (std::sregex_iterator it(html.begin(), html.end(), tag), end; it != end; ++it) {
      out.insert(std::regex_replace(it->str(), std::regex("\"[^\"]*\""), "\"\""));
    }
    return out;
  };
  const std::string out = RenderHtml(testing::HostileReport(), {});
  CHECK_FALSE(Has(out, testing::kHtmlAttack));
  CHECK_FALSE(Has(out, "<img"));
  CHECK_FALSE(Has(out, "href=\"javascript:"));
  for (const std::string& tag : tags(out)) {
    CAPTURE(tag);
    CHECK_FALSE(Has(tag, "onload"));
    CHECK_FALSE(Has(tag, "onerror"));
  }
}

TEST_CASE("verdict, culprit and fix stand first on the page", "[report]") {
  const std::string out = RenderHtml(testing::FailureReport(), {});
  const size_t verdict = out.find("<h1>");
  const size_t culprit = out.find("rank 3 on gpu-a17");
  const size_t fix = out.find("docker run --shm-size=1g");
  const size_t picture = out.find("<svg");
  CHECK(verdict < culprit);
  CHECK(culprit < fix);
  CHECK(fix < picture);
  CHECK(picture != std::string::npos);
}

TEST_CASE("the picture marks the culprit and groups thousands of ranks", "[report]") {
  const Words& words = WordsOf(Language::kEnglish);
  const std::string small = RankPicture(testing::FailureReport(), words);
  CHECK(Count(small, "<g ") == 4);
  CHECK(Count(small, "first failure") == 1);
  const std::string large = RankPicture(testing::LargeReport(8192), words);
  CHECK(large.size() < 20000);
  CHECK(Has(large, "1023 hosts alike"));
  CHECK(Has(large, "rank 8191"));
  CHECK(RankPicture(Report(), words).empty());
}

TEST_CASE("a host that is blamed as a whole has all its ranks marked", "[report]") {
  Report report = testing::FailureReport();
  const std::string host = report.job.communicators[0].ranks[0].host;
  for (ReportRank& rank : report.job.communicators[0].ranks) rank.culprit = false;
  Culprit whole;
  whole.host = host;
  report.causes[0].culprits = {whole};
  size_t there = 0;
  for (const ReportRank& rank : report.job.communicators[0].ranks) there += rank.host == host;
  REQUIRE(there > 0);
  CHECK(Count(RankPicture(report, WordsOf(Language::kEnglish)), "first failure") == there);
}

TEST_CASE("evidence stands among the lines around it, in order", "[report]") {
  Report report = testing::FailureReport();
  Evidence& evidence = report.causes[0].evidence[0];
  evidence.context = {{evidence.line - 2, "two <b>before"}, {evidence.line + 1, "one after"}};
  const std::string page = RenderHtml(report, {});
  const size_t before = page.find("two &lt;b&gt;before");
  const size_t itself = page.find("<mark>");
  const size_t after = page.find("one after");
  REQUIRE(before != std::string::npos);
  REQUIRE(after != std::string::npos);
  CHECK(before < itself);
  CHECK(itself < after);
  CHECK(Count(page, "id=\"e0\"") == 1);
}

TEST_CASE("the transport matrix is by rank, then by host, then counted", "[report]") {
  const Words& words = WordsOf(Language::kEnglish);
  CHECK(Count(TransportPicture(testing::FailureReport(), words), "<title>") == 5);
  CHECK(Has(TransportPicture(testing::FailureReport(), words), "rank 0 gpu-a16 → rank 1 gpu-a16: SHM (2 channels)"));
  const std::string hosts = TransportPicture(testing::LargeReport(64), words);
  CHECK(Has(hosts, "gpu-0000 → gpu-0001: NET/IB (16 channels)"));
  CHECK(Has(TransportPicture(testing::LargeReport(8192), words), "<table>"));
  CHECK(TransportPicture(Report(), words).empty());
}

TEST_CASE("SARIF: rule ids are cause ids, fingerprints outlive a rerun", "[report]") {
  using nlohmann::json;
  const json out = json::parse(RenderSarif(testing::FailureReport(), {}));
  CHECK(out.at("version") == "2.1.0");
  const json& run = out.at("runs").at(0);
  CHECK(run.at("results").size() == 3);
  CHECK(run.at("results").at(0).at("ruleId") == "shm.too-small");
  CHECK(run.at("results").at(0).at("level") == "error");
  CHECK(run.at("results").at(1).at("level") == "note");
  CHECK(run.at("results").at(0).at("locations").at(0).at("physicalLocation").at("region").at("startLine") == 41);
  CHECK(run.at("results").at(0).at("relatedLocations").size() == 1);
  for (const json& result : run.at("results")) {
    const auto same = [&](const json& rule) { return rule.at("id") == result.at("ruleId"); };
    CHECK(std::any_of(run.at("tool").at("driver").at("rules").begin(), run.at("tool").at("driver").at("rules").end(),
                      same));
  }

  Report rerun = testing::FailureReport();
  rerun.causes[0].evidence[0].line = 977;
  rerun.causes[0].evidence[0].text =
      "gpu-b99:17:31 [0] 2026-01-01 11:22:33 misc/shmutils.cc:72 NCCL WARN Error: failed to extend "
      "/dev/shm/nccl-q1W2e3 to 9637892 bytes, error: No space left on device (28)";
  const json again = json::parse(RenderSarif(rerun, {}));
  const auto print = [](const json& sarif) { return sarif["runs"][0]["results"][0]["partialFingerprints"]; };
  CHECK(print(out) == print(again));
  rerun.causes[0].evidence[0].text = "NCCL WARN Error: failed to open /dev/shm/nccl-q1W2e3";
  CHECK(print(out) != print(json::parse(RenderSarif(rerun, {}))));
}

TEST_CASE("SARIF of other verdicts", "[report]") {
  using nlohmann::json;
  CHECK(json::parse(RenderSarif(testing::HealthyReport(), {}))["runs"][0]["results"].empty());
  Report report = testing::UndeterminedReport();
  report.causes.clear();
  report.problems = {"cannot read x"};
  const json out = json::parse(RenderSarif(report, {}));
  CHECK(out["runs"][0]["results"][0]["ruleId"] == "ncclwhy.undetermined");
  CHECK(out["runs"][0]["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("JUnit counts what it lists", "[report]") {
  const std::string failure = RenderJunit(testing::FailureReport(), {});
  CHECK(Has(failure, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  CHECK(Has(failure, "<failure type=\"shm.too-small\" message=\"/dev/shm is too small (93%): "));
  const std::string healthy = RenderJunit(testing::HealthyReport(), {});
  CHECK(Has(healthy, "failures=\"0\""));
  CHECK_FALSE(Has(healthy, "<failure"));
  CHECK(Has(RenderJunit(testing::NoNcclReport(), {}), "<skipped "));
  Report report = testing::HealthyReport();
  report.problems = {"cannot read <x>"};
  CHECK(Has(RenderJunit(report, {}), "<error type=\"input\" message=\"cannot read &lt;x&gt;\">"));
  CHECK(Count(RenderJunit(testing::HostileReport(), {}), "<failure") == 3);  // of the job, and of two of several
}

TEST_CASE("GitHub annotations: ten at most, one line each, no command of the log's own", "[report]") {
  const std::string out = RenderGithub(testing::FailureReport(), {});
  CHECK(out.starts_with("::error file=rank3.log,line=41,title=/dev/shm is too small (shm.too-small%2C 93%25 sure)::"));
  for (const Report& report : {testing::LargeReport(64), testing::HostileReport()}) {
    const std::string text = RenderGithub(report, {});
    const size_t lines = Count(text, "\n");
    CHECK(lines <= kGithubAnnotations);
    const std::regex command("(^|\n)::(error|warning|notice)[ :]");
    CHECK(static_cast<size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), command), {})) == lines);
  }
  CHECK(RenderGithub(testing::HealthyReport(), {}) ==
        "::notice title=ncclwhy::Outcome: succeeded, 1,000 steps in 12 min: it says that it is done "
        "(rank0.log:120)%0ANothing failed in these logs.\n");
}

}  // namespace
}  // namespace ncclwhy
