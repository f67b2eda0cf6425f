// Memory runs out at the n-th allocation of the C or C++ API, for every n until nothing fails any more: each run ends
// with a code or a report, never with an exception or a crash. Once in a process that has analysed before, and once in
// fresh ones, where patterns are still to be compiled. Allocations inside RE2 do not count: the header says what
// happens there (base/re2_call.h), which processes of their own show. The default looks at some of the numbers;
// NCCLWHY_HOSTILE=full at all of them.
#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/re2_call.h"
#include "catch.h"
#include "ncclwhy/analyzer.h"
#include "ncclwhy/diff.h"
#include "ncclwhy/explain.h"
#include "ncclwhy/ncclwhy.h"
#include "rules/engine/pattern_regex.h"

namespace {

// Allocations until one fails; negative: none does. `lasting`: all behind it fail, too.
thread_local int64_t countdown = -1;
thread_local bool lasting = false;
thread_local int64_t made = 0;
thread_local int64_t made_in_re2 = 0;
thread_local bool fail_in_re2 = false;  // only there; otherwise everywhere else
// Bytes that RE2 holds more than when counting began, and the most of them.
thread_local int64_t held_in_re2 = 0;
thread_local int64_t most_in_re2 = 0;

void* Noted(void* memory) {
  if (memory != nullptr && ncclwhy::InsideRe2()) {
    held_in_re2 += static_cast<int64_t>(malloc_usable_size(memory));
    most_in_re2 = std::max(most_in_re2, held_in_re2);
  }
  return memory;
}

bool FailNow() {
  const bool in_re2 = ncclwhy::InsideRe2();
  ++(in_re2 ? made_in_re2 : made);
  if (in_re2 != fail_in_re2) return false;
  if (countdown < 0) return false;
  if (countdown > 0) {
    --countdown;
    return false;
  }
  if (!lasting) countdown = -1;
  return true;
}

}  // namespace

extern "C" {

// glibc's own names: the allocator behind a replaced malloc.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void __libc_free(void*);

void* malloc(size_t size) {
  if (!FailNow()) return Noted(__libc_malloc(size));
  errno = ENOMEM;
  return nullptr;
}
void* calloc(size_t count, size_t size) {
  if (!FailNow()) return Noted(__libc_calloc(count, size));
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, size_t size) {
  if (!FailNow()) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}

void free(void* memory) {
  if (memory != nullptr && ncclwhy::InsideRe2()) held_in_re2 -= static_cast<int64_t>(malloc_usable_size(memory));
  __libc_free(memory);
}

}  // extern "C"

namespace ncclwhy {
namespace {

constexpr std::string_view kLog =
    "node1:100:101 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
    "node1:100:101 [0] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId "
    "0x1234567890abcdef - Init START\n"
    "node1:100:101 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-abc to 9637892 bytes, "
    "error: "
    "No space left on device (28)\n";

struct Counted {
  bool complete = false;  // every call said OK
  int64_t allocations = 0;
  int64_t in_re2 = 0;
};

// Each returns whether every call said OK.
bool CallC() {
  ncclwhy_analyzer* analyzer = ncclwhy_analyzer_new();
  bool ok = analyzer != nullptr;
  ncclwhy_report* report = nullptr;
  if (analyzer != nullptr) {
    ok = ncclwhy_analyzer_set(analyzer, "jobs", 4, "1", 1) == NCCLWHY_OK && ok;
    ok = ncclwhy_analyzer_begin(analyzer, "rank0.log", 9) == NCCLWHY_OK && ok;
    ok = ncclwhy_analyzer_push(analyzer, kLog.data(), kLog.size()) == NCCLWHY_OK && ok;
    ok = ncclwhy_analyzer_end(analyzer) == NCCLWHY_OK && ok;
    ok = ncclwhy_analyzer_finish(analyzer, &report) == NCCLWHY_OK && ok;
    (void)std::strlen(ncclwhy_analyzer_error(analyzer));
  }
  for (const char* format :
       {"text", "full", "summary", "json", "markdown", "html", "sarif", "junit", "github", "trace"}) {
    const char* text = nullptr;
    size_t length = 0;
    ok = ncclwhy_report_render(report, format, std::strlen(format), &text, &length) == NCCLWHY_OK && ok;
  }
  ncclwhy_report_free(report);
  ncclwhy_analyzer_free(analyzer);
  return ok;
}

// What this throws came out of the library: it makes no strings of its own.
bool CallCxx() {
  static const std::string kNoFile = "/nonexistent/rank0.log";
  static const AnalyzerOptions kOptions;
  const auto analyzer = Analyzer::Create({});
  if (!analyzer.ok()) return false;
  Analyzer& a = *analyzer.value();
  bool ok = a.AddFile(kNoFile).ok();
  ok = a.Begin("rank0.log").ok() && ok;
  ok = a.Push(kLog).ok() && ok;
  ok = a.EndSource().ok() && ok;
  ok = a.Append("rank1.log", kLog).ok() && ok;
  const auto report = a.Finish();
  ok = report.ok() && RenderReport(report.value(), "text", {}).ok() && ok;
  ok = Explain("shm.too-small", kOptions, {}).ok() && ok;
  const auto diff = Diff(kNoFile, kNoFile, kOptions);
  return diff.ok() && RenderDiff(diff.value(), "json", {}).ok() && ok;
}

Counted Run(int64_t fail_at, bool all_behind, bool (*call)() = CallC) {
  Counted out;
  made = 0;
  made_in_re2 = 0;
  lasting = all_behind;
  countdown = fail_at;
  out.complete = call();
  countdown = -1;
  out.allocations = made;
  out.in_re2 = made_in_re2;
  return out;
}

// How a process of its own ended that analyses for the first time, and what it counted.
struct Ended {
  bool by_signal = false;
  Counted result;
};

Ended FreshProcess(int64_t fail_at, bool all_behind, bool in_re2) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    dup2(null, STDOUT_FILENO);
    for (const int number : {SIGABRT, SIGSEGV}) std::signal(number, SIG_DFL);  // the test framework has handlers
    fail_in_re2 = in_re2;
    const Counted result = Run(fail_at, all_behind);
    _exit(write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  close(ends[1]);
  Ended ended;
  const bool told = read(ends[0], &ended.result, sizeof ended.result) == static_cast<ssize_t>(sizeof ended.result);
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  ended.by_signal = WIFSIGNALED(status);
  CHECK(told != ended.by_signal);
  return ended;
}

bool Full() {
  const char* value = std::getenv("NCCLWHY_HOSTILE");
  return value != nullptr && std::string_view(value) == "full";
}

// Every number when full, else about `some` of them.
int64_t Step(int64_t all, int64_t some) { return Full() ? 1 : std::max<int64_t>(1, all / some); }

void Print(const char* what, int64_t allocations, int64_t runs, int64_t failed) {
  std::printf("%-28s %7lld allocations, %7lld runs, %7lld of them failed\n", what, static_cast<long long>(allocations),
              static_cast<long long>(runs), static_cast<long long>(failed));
}

// Before anything has run in this process, which its children inherit.
TEST_CASE("the first analysis of a process runs out of memory at any allocation", "[faults]") {
  const Ended whole = FreshProcess(-1, false, false);
  REQUIRE(whole.result.complete);
  REQUIRE(whole.result.in_re2 > 100);  // patterns were compiled
  const int64_t all = whole.result.allocations;
  int64_t failed = 0;
  int64_t runs = 0;
  for (const bool all_behind : {false, true}) {
    for (int64_t n = 0; n < all; n += Step(all, 150)) {
      ++runs;
      const Ended ended = FreshProcess(n, all_behind, false);
      CAPTURE(n, all_behind);
      CHECK_FALSE(ended.by_signal);
      failed += ended.result.complete ? 0 : 1;
    }
  }
  Print("first analysis", all, runs, failed);
  CHECK(failed > runs / 4);
}

TEST_CASE("inside RE2 a failed allocation ends the process, or RE2 does without", "[faults]") {
  const int64_t all = FreshProcess(-1, false, true).result.in_re2;
  int64_t ended_there = 0;
  int64_t runs = 0;
  for (int64_t n = 0; n < all; n += Step(all, 50)) {
    ++runs;
    const Ended ended = FreshProcess(n, false, true);
    CAPTURE(n);
    CHECK((ended.by_signal || ended.result.complete));
    ended_there += ended.by_signal ? 1 : 0;
  }
  Print("inside RE2", all, runs, ended_there);
}

TEST_CASE("running out of memory at any allocation is an error code", "[faults]") {
  const auto [name, call] = GENERATE(table<const char*, bool (*)()>({{"C", CallC}, {"C++", CallCxx}}));
  REQUIRE(Run(-1, false, call).complete);  // what is made once is made
  const Counted whole = Run(-1, false, call);
  REQUIRE(whole.complete);
  REQUIRE(whole.allocations > 100);
  int64_t failed = 0;
  int64_t runs = 0;
  for (const bool all_behind : {false, true}) {
    for (int64_t n = 0; n < whole.allocations; n += Step(whole.allocations, 400)) {
      ++runs;
      failed += Run(n, all_behind, call).complete ? 0 : 1;
    }
  }
  Print(name, whole.allocations, runs, failed);
  CHECK(failed > runs / 4);
  CHECK(Run(-1, false, call).complete);  // and nothing is broken behind it
}

std::string Times(const char* what, size_t n) {
  std::string out;
  while (n-- > 0) out += what;
  return out;
}
std::string Filled(const char* what) { return Times(what, limits::kPatternBytes / std::strlen(what)); }

TEST_CASE("the room that is asked for is more than a pattern at its limits takes", "[faults]") {
  const std::string text(4096, 'a');
  const std::string patterns[] = {
      "a{9}b",
      "(a|b)*a(a|b){12}c",
      "(?:" + Times("(?:[ab]?){900}", 48) + ")c",  // about as many instructions as are allowed
      Filled("(?:[ab]?){900}"),                    // and more than that
      Filled("a{1000}"),
      Filled("(a?){999}"),
      Filled("(?:(?:a{9}){9}){9}|"),
      Filled("[^\\x00-\\x7f]?"),
      Filled("(?i)k|"),
      Times("(?:", 900) + "a" + Times(")?", 600) + Times(")", 300),
      Filled("\\pL"),
  };
  int64_t most = 0;
  for (const std::string& pattern : patterns) {
    held_in_re2 = most_in_re2 = 0;
    const auto regex = InRe2([&] { return std::make_unique<RE2>(pattern, RulePatternOptions()); });
    const int64_t compiled = std::exchange(most_in_re2, 0);
    held_in_re2 = 0;
    Re2Text group;
    if (regex->ok()) {
      InRe2([&] { return regex->Match(ToRe2(text), 0, text.size(), RE2::UNANCHORED, &group, 1); });
    }
    CAPTURE(pattern.substr(0, 40), pattern.size(), regex->ok(), compiled, most_in_re2);
    CHECK(compiled < static_cast<int64_t>(limits::kRe2Room));
    CHECK(most_in_re2 < static_cast<int64_t>(limits::kRe2Room));
    most = std::max({most, compiled, most_in_re2});
  }
  std::printf("RE2 held %.1f MiB at most\n", static_cast<double>(most) / (1 << 20));
}

}  // namespace
}  // namespace ncclwhy
