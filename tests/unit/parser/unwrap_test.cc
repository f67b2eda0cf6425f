#include "parser/unwrap.h"

#include <algorithm>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

const std::string kWarn =
    "node1:71:90 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.7<51264> with error "
    "12, opcode 0, len 0, vendor err 129";

// What a terminal of `columns` makes of it.
std::string Hard(std::string line, size_t columns) {
  std::string out;
  for (; line.size() > columns; line.erase(0, columns)) out += line.substr(0, columns) + "\n";
  return out + line + "\n";
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_CASE("a line that was cut at a column is whole again, and the others keep their numbers", "[parser]") {
  for (const size_t columns : {60, 80, 120}) {
    const std::string broken = Hard(kWarn, columns) + "rank 3 gave up\n";
    const Unwrapped whole = BrokenLines(broken).Unwrap(Wrapping::kHard);
    CAPTURE(columns, whole.text);
    CHECK(FirstLine(whole.text) == kWarn);
    CHECK(whole.text.size() == broken.size());
    CHECK(std::count(whole.text.begin(), whole.text.end(), '\n') == std::count(broken.begin(), broken.end(), '\n'));
    CHECK(whole.text.find("\nrank 3 gave up\n") == broken.find("\nrank 3 gave up\n"));
    CHECK(whole.joins == kWarn.size() / columns);
  }
}

TEST_CASE("a line that was broken at blanks", "[parser]") {
  const Unwrapped whole =
      BrokenLines(
          "node1:71:90 [0] transport/nvls.cc:287 NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory\n"
          "  of size 2097152 : CUDA error 401 'the operation cannot be performed'\n"
          "node1:71:90 [0] NCCL INFO init.cc:1200 -> 1\n")
          .Unwrap(Wrapping::kSoft);
  CHECK(whole.joins == 1);
  CHECK(FirstLine(whole.text) ==
        "node1:71:90 [0] transport/nvls.cc:287 NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory of size "
        "2097152 : CUDA error 401 'the operation cannot be performed'");
  CHECK(whole.text.ends_with("\n\nnode1:71:90 [0] NCCL INFO init.cc:1200 -> 1\n"));
}

TEST_CASE("a sentence that ended at the edge keeps its blank, and a line of UCX is no rest of another", "[parser]") {
  const Unwrapped whole = BrokenLines(
                              "DistNetworkError: The server socket has failed to listen on any local network address.\n"
                              "The server socket has failed to bind to [::]:29817.\n")
                              .Unwrap(Wrapping::kHard);
  CHECK(FirstLine(whole.text) ==
        "DistNetworkError: The server socket has failed to listen on any local network address. "
        "The server socket has failed to bind to [::]:29817.");
  CHECK(
      BrokenLines("UCX  WARN  transports 'cuda_copy','cuda_ipc' are not available, please use one or more of: rc, tcp\n"
                  "ib_md.c:282  UCX  ERROR ibv_reg_mr(address=0x31a000000) failed: Bad address\n")
          .Unwrap(Wrapping::kHard)
          .joins == 0);
}

TEST_CASE("a chat indents the rest of a line", "[parser]") {
  // At 72 columns: at blanks, behind a hyphen, and where one word is wider than a line.
  const std::string text =
      "node1:71:90 [0] transport/nvls.cc:287 NCCL WARN Failed to bind NVLink\n"
      "    SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the\n"
      "    operation cannot be performed'\n"
      "[rank0]:   File \"/opt/conda/envs/training-images-of-2026-with-\n"
      "    cuda/lib/python3.11/site-packages/torch/distributed/launch.py\", line\n"
      "    7, in main\n"
      "RuntimeError: NCCL error\n";
  const Unwrapped whole = BrokenLines(text).Unwrap(Wrapping::kIndented);
  CAPTURE(whole.text);
  CHECK(whole.joins == 4);
  CHECK(FirstLine(whole.text) ==
        "node1:71:90 [0] transport/nvls.cc:287 NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory of size "
        "2097152 : CUDA error 401 'the operation cannot be performed'");
  CHECK(whole.text.find(
            "images-of-2026-with-cuda/lib/python3.11/site-packages/torch/distributed/launch.py\", line 7, in main\n") !=
        std::string::npos);
  CHECK(whole.text.ends_with("\nRuntimeError: NCCL error\n"));
  CHECK(std::count(whole.text.begin(), whole.text.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
}

TEST_CASE("code below a short line is indented, not broken", "[parser]") {
  const std::string text =
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 212, in <module>\n"
      "    loss.backward()\n"
      "RuntimeError: the loss of this step is not a number, training stops here\n";
  CHECK(BrokenLines(text).Unwrap(Wrapping::kIndented).joins == 0);
}

TEST_CASE("lines of one length, each with a header, are no pieces", "[parser]") {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += "node1:7" + std::to_string(i) + ":90 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC/read\n";
  }
  CHECK(BrokenLines(text).Unwrap(Wrapping::kHard).joins == 0);
  CHECK(BrokenLines(text).Unwrap(Wrapping::kSoft).joins == 0);
}

TEST_CASE("a launcher's padded labels are no indent", "[parser]") {
  const std::string text =
      "  2: " + kWarn + "\n  0: step 20/30 loss 7.02\n 12: " + kWarn + "\n  0: step 21/30 loss 6.98\n";
  for (const Wrapping wrapping : {Wrapping::kSoft, Wrapping::kHard})
    CHECK(BrokenLines(text).Unwrap(wrapping).joins == 0);
}

TEST_CASE("too narrow, too wide, binary or empty: nothing is joined", "[parser]") {
  CHECK(BrokenLines("").Unwrap(Wrapping::kHard).joins == 0);
  CHECK(BrokenLines("\n\n\n").Unwrap(Wrapping::kSoft).joins == 0);
  CHECK(BrokenLines("abc\nabc\nabc\n").Unwrap(Wrapping::kHard).joins == 0);
  CHECK(BrokenLines(std::string(500, 'a') + "\nb\n").Unwrap(Wrapping::kHard).joins == 0);
  CHECK(BrokenLines(std::string(80, '\0') + "\nb\n").Unwrap(Wrapping::kHard).joins == 0);
}

}  // namespace
}  // namespace ncclwhy
