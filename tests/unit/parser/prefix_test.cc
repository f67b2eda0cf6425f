#include "parser/prefix.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

struct HeaderCase {
  std::string line;
  std::string time, host;
  uint32_t pid, tid;
  int32_t device;
  std::string file;
  uint32_t file_line;
  std::string function;
  LogLevel level;
  std::string body;
};

const HeaderCase kHeaders[] = {
    {"node3:4711:4790 [2] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>", "", "node3", 4711, 4790, 2, "", 0, "",
     LogLevel::kInfo, "Bootstrap : Using eth0:10.0.0.3<0>"},
    {"node3:4711:4801 [2] misc/socket.cc:484 NCCL WARN Net : x", "", "node3", 4711, 4801, 2, "misc/socket.cc", 484, "",
     LogLevel::kWarn, "Net : x"},
    {"[2025-03-01 12:00:00] node3:4711:4801 [2] transport/net_ib.cc:2107 NCCL WARN y", "2025-03-01 12:00:00", "node3",
     4711, 4801, 2, "transport/net_ib.cc", 2107, "", LogLevel::kWarn, "y"},
    {"[2025-03-01 12:00:00.123] node3:4711:4801 [2] alloc.cc:89 (ncclMemAlloc) NCCL WARN z", "2025-03-01 12:00:00.123",
     "node3", 4711, 4801, 2, "alloc.cc", 89, "ncclMemAlloc", LogLevel::kWarn, "z"},
    {"node3:4711:4790 [1] 136.580392 nccl_net_ofi_init:1396 NCCL TRACE NET/OFI p", "", "node3", 4711, 4790, 1,
     "nccl_net_ofi_init", 1396, "", LogLevel::kTrace, "NET/OFI p"},
    {"node3:4711:4790 [1] int nccl_net_ofi_rdma_ep_t::process_cq_rails():1381 NCCL WARN NET/OFI q", "", "node3", 4711,
     4790, 1, "int nccl_net_ofi_rdma_ep_t::process_cq_rails()", 1381, "", LogLevel::kWarn, "NET/OFI q"},
    {"node3:4711:4790 [1] static int on_error(ep_t*, fid_cq*):1102 NCCL WARN NET/OFI r", "", "node3", 4711, 4790, 1,
     "static int on_error(ep_t*, fid_cq*)", 1102, "", LogLevel::kWarn, "NET/OFI r"},
    {"node3:4711:4790 NCCL CALL ncclGroupStart()", "", "node3", 4711, 4790, kNoDevice, "", 0, "", LogLevel::kCall,
     "ncclGroupStart()"},
    {"node3:4711 NCCL DIAG all good", "", "node3", 4711, 0, kNoDevice, "", 0, "", LogLevel::kDiag, "all good"},
    {"node3:4711:4790 [2] INFO NET : Using interface eth1:10.0.0.3<0>", "", "node3", 4711, 4790, 2, "", 0, "",
     LogLevel::kInfo, "NET : Using interface eth1:10.0.0.3<0>"},
    {"node3:4711:4790 [0] misc/ibvwrap.cu:61 WARN Failed to open libibverbs.so[.1]", "", "node3", 4711, 4790, 0,
     "misc/ibvwrap.cu", 61, "", LogLevel::kWarn, "Failed to open libibverbs.so[.1]"},
    {"node3:4711:4790 [2] init.cc:80 NCCL ABORT ", "", "node3", 4711, 4790, 2, "init.cc", 80, "", LogLevel::kAbort, ""},
    {"node3:4711:4790 [-1] NCCL INFO a", "", "node3", 4711, 4790, -1, "", 0, "", LogLevel::kInfo, "a"},
    {"node3:4711:4790 [94213712345678] NCCL INFO a", "", "node3", 4711, 4790, kNoDevice, "", 0, "", LogLevel::kInfo,
     "a"},
    {"ai1:152:1465 [6] /very/long/path/hipify/src/init.cc:1954 NCCL WARN MSCCL++", "", "ai1", 152, 1465, 6,
     "/very/long/path/hipify/src/init.cc", 1954, "", LogLevel::kWarn, "MSCCL++"},
    {"38dcf168f605:1505:1505 [0] NCCL INFO a", "", "38dcf168f605", 1505, 1505, 0, "", 0, "", LogLevel::kInfo, "a"},
    {":216:1319 [2] NCCL INFO Connected all trees", "", "", 216, 1319, 2, "", 0, "", LogLevel::kInfo,
     "Connected all trees"},
    {"[0] NCCL INFO misc/socket.cc:80 -> 6", "", "", 0, 0, 0, "", 0, "", LogLevel::kInfo, "misc/socket.cc:80 -> 6"},
    {"misc/ibvwrap.cc:63 NCCL WARN Failed", "", "", 0, 0, kNoDevice, "misc/ibvwrap.cc", 63, "", LogLevel::kWarn,
     "Failed"},
    {"include/socket.h:344 WARN Socket creation failed", "", "", 0, 0, kNoDevice, "include/socket.h", 344, "",
     LogLevel::kWarn, "Socket creation failed"},
    {"    node3:4711:4790 [2] NCCL INFO indented", "", "node3", 4711, 4790, 2, "", 0, "", LogLevel::kInfo, "indented"},
};

TEST_CASE("headers of every era", "[prefix]") {
  for (const HeaderCase& c : kHeaders) {
    INFO(c.line);
    HeaderMatch m;
    REQUIRE(ParseHeader(c.line, &m));
    CHECK(m.header.time == c.time);
    CHECK(m.header.host == c.host);
    CHECK(m.header.present == (c.pid != 0));
    CHECK(m.header.pid == c.pid);
    CHECK(m.header.tid == c.tid);
    CHECK(m.header.device == c.device);
    CHECK(m.header.file == c.file);
    CHECK(m.header.file_line == c.file_line);
    CHECK(m.header.function == c.function);
    CHECK(m.header.level == c.level);
    CHECK(std::string_view(c.line).substr(m.body) == c.body);
  }
}

TEST_CASE("what is no header", "[prefix]") {
  for (const char* line :
       {"", "hello", "12:34:56 [0] NCCL INFO a clock is no host", "node3:4711:4790 [2] NCCL", "node3: text",
        "INFO 10-13 09:06:25 [config.py:2434] Chunked", "RuntimeError: NCCL error: unhandled system error",
        "ubuntu: Test NCCL failure common.cu:958 'unhandled system error'", "node3:4711 NCCL INFO two parts only",
        "run with NCCL_DEBUG=INFO for details", "node3:99999999999:1 [0] NCCL INFO pid too large",
        "a b:4711:4790 [0] NCCL INFO blank in front"}) {
    INFO(line);
    HeaderMatch m;
    CHECK_FALSE(ParseHeader(line, &m));
  }
}

TEST_CASE("a header is found in mid-line by reading backwards", "[prefix]") {
  struct Middle {
    std::string line, host;
    uint32_t pid;
    std::string body;
  };
  const Middle cases[] = {
      {"  8388608  2097152  float  sum  -1mew0:64904:64904 [1] NCCL INFO AllReduce: x", "-1mew0", 64904,
       "AllReduce: x"},
      {"stone:2984736:2stone:2984737:2984737 [2] NCCL INFO P", "2stone", 2984737, "P"},
      {"supp stone:1:2 [2] 411.769560 plugin.c:372 NCCL TRACE T", "stone", 1, "T"},
      {"x stone:1:2 [2] 411.7 a.cc:3 (f) NCCL WARN W", "stone", 1, "W"},
      {"stone:2984736:2984736 stone:2984738:2984738 NCCL CALL ncclSend(1)", "stone", 2984738, "ncclSend(1)"},
      // A collector that leaves no blank behind the time.
      {"2026-03-01T16:39:51.208-07:00ip-10-0-0-7:79:79 [0] NCCL INFO P", "ip-10-0-0-7", 79, "P"},
      {"2026-03-01T16:39:51.208451Zstone:79:79 [0] NCCL INFO P", "stone", 79, "P"},
      {"2026-03-01 16:39:51stone:79:79 [0] NCCL INFO P", "stone", 79, "P"},
      {"batch:38dcf168f605:79:79 [0] NCCL INFO P", "38dcf168f605", 79, "P"},
  };
  for (const Middle& c : cases) {
    INFO(c.line);
    HeaderMatch m;
    REQUIRE(FindHeader(c.line, 0, &m));
    CHECK(m.header.host == c.host);
    CHECK(m.header.pid == c.pid);
    CHECK(std::string_view(c.line).substr(m.body) == c.body);
    CHECK_FALSE(m.cut);
  }
  HeaderMatch m;
  REQUIRE(FindHeader("3] NCCL INFO Channel 00/0 : 3[3] -> 2[2]", 0, &m));
  CHECK(m.cut);
  CHECK_FALSE(m.header.present);
  CHECK_FALSE(FindHeader("see NCCL INFORMATION", 0, &m));
}

TEST_CASE("lines of NCCL without any header", "[prefix]") {
  HeaderMatch m;
  CHECK(ParseHeaderless("NCCL version 2.21.5+cuda12.4", &m));
  CHECK(m.header.level == LogLevel::kVersion);
  CHECK(ParseHeaderless("RCCL version : 2.22.3-HEAD:271856d", &m));
  CHECK(ParseHeaderless("WARN src/core.cu:225 failed", &m));
  CHECK(m.header.file == "src/core.cu");
  const std::string ofi = "WARN: Function: create Line: 459: NET/OFI Couldn't open AV";
  REQUIRE(ParseHeaderless(ofi, &m));
  CHECK(m.header.function == "create");
  CHECK(std::string_view(ofi).substr(m.body) == "NET/OFI Couldn't open AV");
  CHECK_FALSE(ParseHeaderless("INFO something else", &m));
  CHECK_FALSE(ParseHeaderless("WARN disk is full", &m));
}

TEST_CASE("PyTorch's log records are found in mid-line", "[prefix]") {
  CHECK(FindTorchRecord("bar 1.37it/s][E ProcessGroupNCCL.cpp:458] text", 0) == 13);
  CHECK(FindTorchRecord("supp[rank1]:[E ProcessGroupNCCL.cpp:563] text", 0) == 4);
  CHECK(FindTorchRecord("[E1205 04:35:53.584483882 ProcessGroupNCCL.cpp:607] text", 0) == 0);
  CHECK(FindTorchRecord("Channel 00/0 : 0[0] -> 1[1] via [E]", 0) == std::string_view::npos);
}

}  // namespace
}  // namespace ncclwhy
