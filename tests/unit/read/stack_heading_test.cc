#include "read/stack_heading.h"

#include "catch.h"

namespace ncclwhy {
namespace {

void Says(std::string_view text, int32_t rank, int64_t pid, std::string_view host) {
  INFO(text);
  const std::optional<StackHeading> heading = HeadingIn(text);
  REQUIRE(heading);
  CHECK(heading->rank == rank);
  CHECK(heading->pid == pid);
  CHECK(heading->host == host);
}

TEST_CASE("what stands above a stack says whose it is", "[read]") {
  Says("==== rank 7 on cray2 pid 6007 ====", 7, 6007, "cray2");
  Says("### dgx-b21 rank 0 pid 4200", 0, 4200, "dgx-b21");
  Says("== ndv4-0007 rank 5: gdb -p 21032 -batch -ex bt", 5, 21032, "ndv4-0007");
  Says("$ py-spy dump --pid 30110   # rank 3   (after 4h12m without output)", 3, 30110, "");
  Says("$ ssh node07 py-spy dump --pid 30110", -1, 30110, "node07");
  Says("Process 9403: python pretrain_gpt.py  (RANK=3)", 3, 9403, "");
  Says("Rank 12 (node gpu-04, pid 812):", 12, 812, "gpu-04");
  Says("heartbeat-monitor: py-spy dump --pid 90218 (node-32 rank 11)", 11, 90218, "node-32");
  Says("== 4711", -1, 4711, "");
  Says("--- pid 4711 ---", -1, 4711, "");
}

TEST_CASE("other lines are no heading of a stack", "[read]") {
  for (const std::string_view text : {"#3  0x00007f16 in ncclGroupEnd () from /lib/libnccl.so.2",
                                      "[rank3]: Traceback (most recent call last):", "local_rank: 3", "- nranks 8",
                                      "2026-10-04 07:00:00 rank 3: step 4", "* ranks 3-7 are waiting",
                                      "    wait (threading.py:316)", "==========", "-----", "> 3.14"}) {
    INFO(text);
    CHECK_FALSE(HeadingIn(text));
  }
}

}  // namespace
}  // namespace ncclwhy
