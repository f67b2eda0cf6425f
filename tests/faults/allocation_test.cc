// Memory runs out at the n-th allocation of the C API, for every n until nothing fails any more: each run ends with a
// code or a report, never with an exception or a crash. The default looks at some of the numbers; NCCLWHY_HOSTILE=full
// at all of them.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "catch.h"
#include "ncclwhy/ncclwhy.h"

namespace {

// Allocations until one fails; negative: none does. `lasting`: all behind it fail, too.
thread_local int64_t countdown = -1;
thread_local bool lasting = false;
thread_local int64_t made = 0;

bool FailNow() {
  ++made;
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

void* malloc(size_t size) {
  if (!FailNow()) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(size_t count, size_t size) {
  if (!FailNow()) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, size_t size) {
  if (!FailNow()) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
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

struct Result {
  bool complete = false;  // every call said OK
  int64_t allocations = 0;
};

Result Run(int64_t fail_at, bool all_behind) {
  Result out;
  made = 0;
  lasting = all_behind;
  countdown = fail_at;
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
  for (const char* format : {"text", "summary", "json", "markdown", "html", "sarif", "junit", "github"}) {
    const char* text = nullptr;
    size_t length = 0;
    ok = ncclwhy_report_render(report, format, std::strlen(format), &text, &length) == NCCLWHY_OK && ok;
  }
  ncclwhy_report_free(report);
  ncclwhy_analyzer_free(analyzer);
  countdown = -1;
  out.complete = ok;
  out.allocations = made;
  return out;
}

TEST_CASE("running out of memory at any allocation is an error code", "[faults]") {
  REQUIRE(Run(-1, false).complete);  // what is made once is made
  const Result whole = Run(-1, false);
  REQUIRE(whole.complete);
  REQUIRE(whole.allocations > 100);
  const char* value = std::getenv("NCCLWHY_HOSTILE");
  const bool full = value != nullptr && std::string_view(value) == "full";
  const int64_t step = full ? 1 : std::max<int64_t>(1, whole.allocations / 400);
  int64_t failed = 0;
  int64_t runs = 0;
  for (const bool all_behind : {false, true}) {
    for (int64_t n = 0; n < whole.allocations; n += step) {
      ++runs;
      failed += Run(n, all_behind).complete ? 0 : 1;
    }
  }
  std::printf("%lld allocations, %lld runs, %lld of them failed with a code\n",
              static_cast<long long>(whole.allocations), static_cast<long long>(runs), static_cast<long long>(failed));
  CHECK(failed > runs / 4);
  CHECK(Run(-1, false).complete);  // and nothing is broken behind it
}

}  // namespace
}  // namespace ncclwhy
