// The whole analysis. The input is the text of one or several logs, separated by record separators (0x1e). Checked:
//
//   chunks       where the bytes are cut, and in which order sources come, does not change the report
//   threads      nor does the number of threads that read files (some inputs only: it needs files)
//   coverage     every line is in exactly one class
//   renderings   output_check.h
//   more logs    a healthy job beside a broken one does not change what broke it
//   time         four times the text takes about four times the time
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/output_check.h"
#include "fuzz/scratch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy::fuzz {
namespace {

constexpr size_t kMaxSources = 8;

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> out;
  while (out.size() + 1 < kMaxSources && text.find('\x1e') != std::string_view::npos) {
    out.push_back(text.substr(0, text.find('\x1e')));
    text.remove_prefix(text.find('\x1e') + 1);
  }
  out.push_back(text);
  return out;
}

std::string Name(size_t i) { return "rank" + std::to_string(i) + ".log"; }

std::unique_ptr<Analyzer> New(int jobs = 1) {
  AnalyzerOptions options;
  options.jobs = jobs;
  Result<std::unique_ptr<Analyzer>> made = Analyzer::Create(std::move(options));
  FUZZ_CHECK(made.ok());
  return made.take();
}

Report Finished(Analyzer& analyzer) {
  Result<Report> report = analyzer.Finish();
  FUZZ_CHECK(report.ok());
  return report.take();
}

void AddWhole(Analyzer& analyzer, std::string_view name, std::string_view text) {
  FUZZ_CHECK(analyzer.Begin(name).ok());
  FUZZ_CHECK(analyzer.Push(text).ok());
  FUZZ_CHECK(analyzer.EndSource().ok());
}

Report Whole(const std::vector<std::string_view>& sources) {
  const auto analyzer = New();
  for (size_t i = 0; i < sources.size(); ++i) AddWhole(*analyzer, Name(i), sources[i]);
  return Finished(*analyzer);
}

// Last source first, in random pieces.
Report InPieces(const std::vector<std::string_view>& sources, Dice& dice) {
  const auto analyzer = New();
  for (size_t i = sources.size(); i-- > 0;) {
    FUZZ_CHECK(analyzer->Begin(Name(i)).ok());
    const size_t longest = size_t{1} << dice.Below(12);
    for (std::string_view rest = sources[i]; !rest.empty();) {
      const size_t n = std::min(rest.size(), 1 + dice.Below(longest));
      FUZZ_CHECK(analyzer->Push(rest.substr(0, n)).ok());
      rest.remove_prefix(n);
    }
    FUZZ_CHECK(analyzer->EndSource().ok());
  }
  return Finished(*analyzer);
}

Report FromFiles(const std::vector<std::string>& paths, int jobs) {
  const auto analyzer = New(jobs);
  FUZZ_CHECK(analyzer->AddArguments(paths).ok());
  return Finished(*analyzer);
}

std::string Json(const Report& report) {
  Result<std::string> text = RenderReport(report, "json", {});
  FUZZ_CHECK(text.ok());
  return text.take();
}

void CheckCoverage(const Report& report, const std::vector<std::string_view>& sources) {
  const Coverage& c = report.coverage;
  FUZZ_CHECK(c.lines == c.nccl + c.foreign + c.damaged);
  FUZZ_CHECK(c.nccl == c.recognised + c.unrecognised);
  FUZZ_CHECK(c.sources == sources.size());
  uint64_t bytes = 0;
  uint64_t lines = 0;
  for (const std::string_view source : sources) {
    bytes += source.size();
    lines += static_cast<uint64_t>(std::count(source.begin(), source.end(), '\n'));
    if (!source.empty() && source.back() != '\n') ++lines;
  }
  FUZZ_CHECK(c.bytes == bytes);
  // Records that were pasted without their line ends are lines of their own again.
  const auto split = c.notes.find("split_lines");
  if (split != c.notes.end()) lines += split->second;
  if (c.notes.count("utf16") == 0) FUZZ_CHECK(c.lines <= lines);
}

void CheckReport(const Report& report) {
  const bool named = report.verdict == Verdict::kFailure || report.verdict == Verdict::kDegraded;
  FUZZ_CHECK(named == !report.causes.empty());
  double last = 1.0;
  for (const Cause& cause : report.causes) {
    FUZZ_CHECK(cause.confidence >= 0 && cause.confidence <= last);
    FUZZ_CHECK(!cause.id.empty() && !cause.title.empty());
    last = cause.confidence;
  }
  const int status = ExitStatus(report);
  // What was read and is no text is a problem by its name: base64, say.
  FUZZ_CHECK(report.problems.empty() ? status == 0 || status == 1 || status == 3 : status == 2);
}

// Another job, of two ranks on hosts of its own, in which nothing happened.
std::string HealthyRank(int rank) {
  const std::string r = std::to_string(rank);
  const std::string header = "zebra" + r + ":70" + r + "1:70" + r + "1 [0] NCCL INFO ";
  const std::string comm = "ncclCommInitRank comm 0x7e57b0" + r + "0 rank " + r +
                           " nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0x7e57c0ffee7e57c0 - Init ";
  return header + "NCCL version 2.28.9+cuda12.9\n" + header + comm + "START\n" + header +
         "Channel 00/0 : " + (rank == 0 ? "0[0] -> 1[0]" : "1[0] -> 0[0]") + " [send] via NET/Socket/0\n" + header +
         "Connected all rings, use ring PXN 0 GDR 0\n" + header + comm + "COMPLETE\n" + header + "comm 0x7e57b0" + r +
         "0 rank " + r + " nranks 2 cudaDev 0 busId 1000 - Destroy COMPLETE\n";
}

// Jobs are told apart by their communicators: a process that none holds may be of either.
bool EveryProcessHasCommunicator(const Report& report) {
  std::set<std::pair<std::string, int64_t>> held;
  for (const ReportCommunicator& c : report.job.communicators) {
    for (const ReportRank& r : c.ranks) {
      if (r.seen) held.emplace(r.host, r.pid);
    }
  }
  return report.job.unlisted == 0 && static_cast<int64_t>(held.size()) == report.job.processes;
}

void CheckHealthyNeighbour(const Report& report, const std::vector<std::string_view>& sources) {
  if (report.verdict != Verdict::kFailure || !EveryProcessHasCommunicator(report)) return;
  const auto analyzer = New();
  for (size_t i = 0; i < sources.size(); ++i) AddWhole(*analyzer, Name(i), sources[i]);
  for (int rank = 0; rank < 2; ++rank) AddWhole(*analyzer, "zebra" + std::to_string(rank), HealthyRank(rank));
  const Report both = Finished(*analyzer);
  FUZZ_CHECK(both.verdict == Verdict::kFailure);
  FUZZ_CHECK(both.causes[0].id == report.causes[0].id);
}

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double SecondsFor(std::string_view text) {
  const double begin = CpuSeconds();
  (void)Whole({text});
  return CpuSeconds() - begin;
}

// Only where time can be measured at all: the analysis of nothing is subtracted, and a suspect is asked again.
void CheckTime(std::string_view input, double seconds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
  constexpr double kNoticeable = 0.5;  // with sanitizers everything takes ten times as long
#else
  constexpr double kNoticeable = 0.05;
#endif
  constexpr double kFactor = 4 * 2.5;  // four times the text; 2.5 for noise
  static const double nothing = std::min(SecondsFor(""), SecondsFor(""));
  if (seconds - nothing < kNoticeable) return;
  const std::string once(input);
  const std::string four = once + once + once + once;
  for (int attempt = 0;; ++attempt) {
    const double one = std::max(SecondsFor(once) - nothing, kNoticeable / 2);
    const double more = SecondsFor(four) - nothing;
    if (more <= one * kFactor) return;
    FUZZ_CHECK(attempt < 3);
  }
}

void CheckThreads(const std::vector<std::string_view>& sources) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < sources.size(); ++i) paths.push_back(Scratch::Get().Write(Name(i), sources[i]));
  const std::string one = Json(FromFiles(paths, 1));
  std::reverse(paths.begin(), paths.end());
  FUZZ_CHECK(one == Json(FromFiles(paths, 4)));
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy::fuzz;
  const std::string_view input = View(data, size);
  const std::vector<std::string_view> sources = Split(input);
  Dice dice(input);
  const double begin = CpuSeconds();
  const ncclwhy::Report report = Whole(sources);
  const double seconds = CpuSeconds() - begin;
  CheckReport(report);
  CheckCoverage(report, sources);
  FUZZ_CHECK(Json(report) == Json(InPieces(sources, dice)));
  CheckRenderings(report);
  CheckHealthyNeighbour(report, sources);
  if (dice.Below(8) == 0) CheckThreads(sources);
  CheckTime(input, seconds);
  return 0;
}
