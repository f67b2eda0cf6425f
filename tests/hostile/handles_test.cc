// The C API in wrong hands: every order of calls, lengths that no text has, places that are not given, one handle in
// many threads, a handle that is freed while it works. Documented codes and sentences come back, and nothing else.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "hostile/tally.h"
#include "ncclwhy/analyzer.h"
#include "ncclwhy/ncclwhy.h"

namespace ncclwhy::hostile {
namespace {

constexpr std::string_view kLog =
    "node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
    "node1:7:7 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-a to 9637892 bytes, error: No "
    "space left on device (28)\n";
constexpr size_t kNegative = static_cast<size_t>(-1);

struct Pair {
  ncclwhy_analyzer* analyzer = ncclwhy_analyzer_new();
  ncclwhy_report* report = nullptr;
  Pair() = default;
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    ncclwhy_report_free(report);
    ncclwhy_analyzer_free(analyzer);
  }
};

constexpr int kCalls = 8;

ncclwhy_code Call(int number, Pair* pair) {
  ncclwhy_analyzer* a = pair->analyzer;
  const char* text = nullptr;
  size_t length = 0;
  switch (number) {
    case 0:
      return ncclwhy_analyzer_set(a, "top", 3, "2", 1);
    case 1:
      return ncclwhy_analyzer_add_file(a, "/nonexistent/a.log", 18);
    case 2:
      return ncclwhy_analyzer_begin(a, "rank0", 5);
    case 3:
      return ncclwhy_analyzer_push(a, kLog.data(), kLog.size());
    case 4:
      return ncclwhy_analyzer_end(a);
    case 5: {
      ncclwhy_report* report = nullptr;
      const ncclwhy_code code = ncclwhy_analyzer_finish(a, &report);
      if (report != nullptr) {
        ncclwhy_report_free(pair->report);
        pair->report = report;
      }
      return code;
    }
    case 6:
      return ncclwhy_explain(a, "shm.too-small", 13, &text, &length);
    default:
      return ncclwhy_report_render(pair->report, "json", 4, &text, &length);
  }
}

bool IsCode(ncclwhy_code code) { return code >= NCCLWHY_OK && code < NCCLWHY_ERROR_INTERNAL; }

TEST_CASE("calls in every order", "[hostile]") {
  Tally tally("c-api-order");
  constexpr int kLength = 4;
  int orders = 1;
  for (int i = 0; i < kLength; ++i) orders *= kCalls;
  for (int order = 0; order < orders; ++order) {
    Pair pair;
    bool good = true;
    bool finished = false;
    int rest = order;
    for (int i = 0; i < kLength; ++i, rest /= kCalls) {
      const int number = rest % kCalls;
      const ncclwhy_code code = Call(number, &pair);
      const bool told = *ncclwhy_analyzer_error(pair.analyzer) != '\0';
      good = good && IsCode(code) && (number == 7 || told == (code != NCCLWHY_OK));
      // Nothing is taken, and then not read.
      if (finished && number >= 1 && number <= 5) good = good && code != NCCLWHY_OK;
      finished = finished || (number == 5 && code == NCCLWHY_OK);
    }
    tally.Try(good, "order " + std::to_string(order));
  }
  CHECK(tally.failed() == 0);
}

TEST_CASE("lengths and places that are wrong", "[hostile]") {
  Tally tally("c-api-arguments");
  Pair pair;
  ncclwhy_analyzer* a = pair.analyzer;
  const char* text = "before";
  size_t length = 7;
  const auto refused = [&](ncclwhy_code code, const char* what) {
    tally.Try(code == NCCLWHY_ERROR_INVALID_ARGUMENT, what);
  };
  for (const size_t n : {kNegative, kNegative - 1, static_cast<size_t>(PTRDIFF_MAX) + 1}) {
    refused(ncclwhy_analyzer_set(a, "top", n, "2", 1), "set, name");
    refused(ncclwhy_analyzer_set(a, "top", 3, "2", n), "set, value");
    refused(ncclwhy_analyzer_add_file(a, "x", n), "add_file");
    refused(ncclwhy_analyzer_begin(a, "x", n), "begin");
    refused(ncclwhy_analyzer_push(a, "x", n), "push");
    refused(ncclwhy_explain(a, "x", n, &text, &length), "explain");
    refused(ncclwhy_diff(a, "x", n, "y", 1, "text", 4, nullptr, &text, &length), "diff, good");
    refused(ncclwhy_diff(a, "x", 1, "y", n, "text", 4, nullptr, &text, &length), "diff, bad");
    refused(ncclwhy_diff(a, "x", 1, "y", 1, "text", n, nullptr, &text, &length), "diff, format");
  }
  for (const size_t n : {size_t{1}, size_t{5}, kNegative}) {
    refused(ncclwhy_analyzer_set(a, nullptr, n, "2", 1), "set without a name");
    refused(ncclwhy_analyzer_set(a, "top", 3, nullptr, n), "set without a value");
    refused(ncclwhy_analyzer_add_file(a, nullptr, n), "add_file of nothing");
    refused(ncclwhy_analyzer_begin(a, nullptr, n), "begin of nothing");
    refused(ncclwhy_analyzer_push(a, nullptr, n), "push of nothing");
    refused(ncclwhy_explain(a, nullptr, n, &text, &length), "explain of nothing");
  }
  refused(ncclwhy_explain(a, "x", 1, nullptr, &length), "explain without a place");
  refused(ncclwhy_diff(a, "x", 1, "y", 1, "text", 4, nullptr, nullptr, nullptr), "diff without a place");
  refused(ncclwhy_analyzer_finish(a, nullptr), "finish without a place");
  tally.Try(text == nullptr, "a text that is not made is none");
  // A path is not another path that ends at its NUL byte.
  refused(ncclwhy_analyzer_set(a, "kb", 2, "/tmp\0x", 6) == NCCLWHY_OK ? ncclwhy_explain(a, "x", 1, &text, nullptr)
                                                                       : NCCLWHY_OK,
          "a NUL byte in a directory");
  Pair other;
  const std::string path = std::string(NCCLWHY_SOURCE_DIR) + "/README.md";
  const std::string longer = path + std::string("\0.log", 5);
  tally.Try(ncclwhy_analyzer_add_file(other.analyzer, longer.data(), longer.size()) == NCCLWHY_OK &&
                ncclwhy_analyzer_finish(other.analyzer, &other.report) == NCCLWHY_OK &&
                ncclwhy_report_exit_status(other.report) == 2,
            "a NUL byte in a file's name");
  refused(ncclwhy_report_render(other.report, "json", kNegative, &text, &length), "render");
  refused(ncclwhy_report_render(other.report, nullptr, 4, &text, &length), "render as nothing");
  refused(ncclwhy_report_render(other.report, "json", 4, nullptr, &length), "render without a place");
  const std::string huge(8u << 20, 'x');
  for (const char* option : {"language", "top", "jobs", "timeline", "redact", "nothing"}) {
    Pair fresh;
    refused(ncclwhy_analyzer_set(fresh.analyzer, option, std::strlen(option), huge.data(), huge.size()), option);
  }
  tally.Try(ncclwhy_report_render(other.report, huge.data(), huge.size(), &text, &length) != NCCLWHY_OK, "format");
  tally.Try(ncclwhy_explain(a, huge.data(), huge.size(), &text, &length) != NCCLWHY_OK, "a long question");
  for (const int jobs : {kMostThreads, kMostThreads + 1, INT32_MAX}) {
    Pair fresh;
    const std::string value = std::to_string(jobs);
    ncclwhy_analyzer_set(fresh.analyzer, "jobs", 4, value.data(), value.size());
    const ncclwhy_code begun = ncclwhy_analyzer_begin(fresh.analyzer, huge.data(), huge.size());
    tally.Try((begun == NCCLWHY_OK) == (jobs <= kMostThreads), "threads, a long name");
  }
  CHECK(tally.failed() == 0);
}

TEST_CASE("one handle in many threads", "[hostile]") {
  Tally tally("c-api-threads");
  for (int round = 0; round < 40; ++round) {
    auto* analyzer = ncclwhy_analyzer_new();
    std::atomic<int> begun{0}, defects{0}, reports{0};
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) {
      threads.emplace_back([&, n] {
        Pair pair;
        ncclwhy_analyzer_free(pair.analyzer);
        pair.analyzer = analyzer;
        for (int i = 0; i < 60; ++i) {
          const ncclwhy_code code = Call((i * 7 + n * 3 + round) % (i < 50 ? 5 : kCalls), &pair);
          if (!IsCode(code)) ++defects;
          if (ncclwhy_analyzer_error(analyzer) == nullptr) ++defects;
          ++begun;
        }
        if (pair.report != nullptr) ++reports;
        pair.analyzer = nullptr;
      });
    }
    for (std::thread& thread : threads) thread.join();
    ncclwhy_analyzer_free(analyzer);
    tally.Try(defects == 0 && reports <= 1, "round " + std::to_string(round));
  }
  // The report, too.
  Pair pair;
  for (const int call : {2, 3, 4, 5}) REQUIRE(Call(call, &pair) == NCCLWHY_OK);
  std::atomic<int> rendered{0}, defects{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const char* text = nullptr;
        const ncclwhy_code code = ncclwhy_report_render(pair.report, "json", 4, &text, nullptr);
        if (code == NCCLWHY_OK) ++rendered;
        if (code != NCCLWHY_OK && (code != NCCLWHY_ERROR_INVALID_ARGUMENT || text != nullptr)) ++defects;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  tally.Try(defects == 0 && rendered > 0, "one report in many threads");
  CHECK(tally.failed() == 0);
}

TEST_CASE("a handle that is freed while it works", "[hostile]") {
  Tally tally("c-api-freed");
  std::string big;
  while (big.size() < (1u << 20)) big += kLog;
  for (int round = 0; round < 10; ++round) {
    auto* analyzer = ncclwhy_analyzer_new();
    ncclwhy_analyzer_begin(analyzer, "rank0", 5);
    std::atomic<bool> inside{false};
    ncclwhy_code code = NCCLWHY_ERROR_INTERNAL;
    std::thread worker([&] {
      inside = true;
      code = ncclwhy_analyzer_push(analyzer, big.data(), big.size());
    });
    while (!inside) std::this_thread::yield();
    // In the call, mostly: an error that says so. Else the call came to its end, and the handle goes here.
    bool busy = false;
    for (int i = 0; i < 100'000 && !busy; ++i) busy = *ncclwhy_analyzer_error(analyzer) != '\0';
    if (busy) ncclwhy_analyzer_free(analyzer);
    worker.join();
    if (!busy) ncclwhy_analyzer_free(analyzer);
    tally.Try(code == NCCLWHY_OK, "round " + std::to_string(round));
  }
  CHECK(tally.failed() == 0);
}

}  // namespace
}  // namespace ncclwhy::hostile
