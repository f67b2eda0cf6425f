#include "fuzz/nccl_mutator.h"

#include <algorithm>
#include <vector>

namespace ncclwhy::fuzz {
namespace {

using Lines = std::vector<std::string>;

// The header of one process in every form that NCCL and its relatives have printed.
constexpr std::string_view kHeaders[] = {
    "node1:100:101 [0] NCCL INFO ",
    "node1:100:101 [0] misc/socket.cc:442 NCCL WARN ",
    "\nnode1:100:101 [0] misc/socket.cc:442 (socketConnect) NCCL WARN ",
    "[2025-03-01 12:00:00] node1:100:101 [1] transport/net_ib.cc:1094 NCCL WARN ",
    "node1:100:101 [0] 12.345678 ncclAllReduce NCCL CALL ",
    "node1:100:101 [0] include/shm.h:33 NCCL WARN ",
    "node1:100 NCCL DIAG ",
    "[0] NCCL INFO ",
    "node1:100:101 INFO ",
    "NCCL version 2.21.5+cuda12.4",
    "RCCL version : 2.22.3-HEAD:271856d",
    "node2:1:18446744073709551615 [-1] NCCL INFO ",
    "[rank3]:[E416 13:21:26.918 ProcessGroupNCCL.cpp:1834] [PG ID 0 PG GUID 0(default_pg) Rank 3] ",
    "2025-03-01T12:00:00.123456789Z stdout F [1,3]<stdout>:node1:100:101 [0] NCCL INFO ",
    "(RayWorkerWrapper pid=812, ip=10.1.62.31) node1:812:900 [0] NCCL INFO ",
    "{\"log\":\"node1:100:101 [0] NCCL INFO x\\n\",\"stream\":\"stdout\",\"time\":\"2025-03-01T12:00:00Z\"}",
    "[131453.740743] NVRM: Xid (PCI:0000:c1:00): 79, pid=100, ",
    "slurmstepd: error: Detected 1 oom_kill event in StepId=",
    "3: node1:100:101 [0] NCCL INFO ",
};

constexpr std::string_view kMessages[] = {
    "ncclCommInitRank comm 0x55d0 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x1234 - Init START",
    "ncclCommInitRank comm 0x55d0 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x1234 - Init COMPLETE",
    "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
    "Channel 01 : 3[c000] -> 0[7000] [receive] via NET/IB/2/GDRDMA/Shared",
    "AllReduce: opCount 1f sendbuff 0x7f0 recvbuff 0x7f1 count 1048576 datatype 7 op 0 root 0 comm 0x55d0 [nranks=4] "
    "stream 0x1",
    "NCCL_IB_HCA set by environment to mlx5_0,mlx5_1.",
    "NET/IB : Got completion from peer 10.0.0.2<4791> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_0",
    "Error: failed to extend /dev/shm/nccl-a to 9637892 bytes, error: No space left on device (28)",
    "comm 0x55d0 rank 0 nranks 4 cudaDev 0 busId 1000 - Abort COMPLETE",
    "Connection closed by remote peer node2.cluster<40512>",
    "include/socket.h:541 -> 2",
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=600000) ran for 600026 milliseconds before timing out.",
    "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1269, internal error, NCCL version 2.14.3",
};

constexpr std::string_view kNumbers[] = {"0",
                                         "-1",
                                         "1",
                                         "255",
                                         "65536",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775808",
                                         "18446744073709551616",
                                         "99999999999999999999999999999999",
                                         "0x0",
                                         "0xffffffffffffffffff",
                                         "1e999",
                                         "nan",
                                         "%s%n",
                                         ""};

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string Join(const Lines& lines, size_t most) {
  std::string out;
  for (const std::string& line : lines) {
    if (out.size() + line.size() > most) break;
    out += line;
  }
  return out;
}

template <size_t kSize>
std::string Any(const std::string_view (&of)[kSize], Dice& dice) {
  return std::string(of[dice.Below(kSize)]);
}

std::string& AnyLine(Lines& lines, Dice& dice) {
  if (lines.empty()) lines.emplace_back("\n");
  return lines[dice.Below(lines.size())];
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void WrongNumber(std::string& line, Dice& dice) {
  std::vector<size_t> begins;
  for (size_t i = 0; i < line.size(); ++i) {
    if (IsDigit(line[i]) && (i == 0 || !IsDigit(line[i - 1]))) begins.push_back(i);
  }
  if (begins.empty()) return;
  const size_t begin = begins[dice.Below(begins.size())];
  size_t end = begin;
  while (end < line.size() && IsDigit(line[end])) ++end;
  line.replace(begin, end - begin, Any(kNumbers, dice));
}

// The header of another era in front of the same message.
void OtherEra(std::string& line, Dice& dice) {
  const size_t level = std::min(line.find(" NCCL "), line.find(" INFO "));
  const size_t body = level == std::string::npos ? 0 : std::min(line.size(), line.find(' ', level + 6));
  line = Any(kHeaders, dice) + line.substr(std::min(body + (body == 0 ? 0 : 1), line.size()));
}

void Tear(Lines& lines, Dice& dice) {
  std::string& line = AnyLine(lines, dice);
  const std::string other = AnyLine(lines, dice);
  line.insert(dice.Below(line.size() + 1), other.substr(0, other.size() - dice.Below(2)));
}

void MoveBlock(Lines& lines, Dice& dice) {
  if (lines.size() < 3) return;
  const size_t begin = dice.Below(lines.size());
  const size_t n = 1 + dice.Below(std::min<size_t>(lines.size() - begin, 8));
  const Lines block(lines.begin() + static_cast<ptrdiff_t>(begin), lines.begin() + static_cast<ptrdiff_t>(begin + n));
  if (dice.Below(2) == 0) {
    lines.erase(lines.begin() + static_cast<ptrdiff_t>(begin), lines.begin() + static_cast<ptrdiff_t>(begin + n));
  }
  lines.insert(lines.begin() + static_cast<ptrdiff_t>(dice.Below(lines.size() + 1)), block.begin(), block.end());
}

}  // namespace

std::string MutateLog(std::string_view text, size_t most, Dice& dice) {
  Lines lines = Split(text);
  switch (dice.Below(12)) {
    case 0:
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(dice.Below(lines.size() + 1)),
                   Any(kHeaders, dice) + Any(kMessages, dice) + "\n");
      break;
    case 1:
      Tear(lines, dice);
      break;
    case 2:
      MoveBlock(lines, dice);
      break;
    case 3: {  // the header twice, as when two processes begin a line at once
      std::string& line = AnyLine(lines, dice);
      line.insert(0, line.substr(0, line.find("NCCL ")));
      break;
    }
    case 4:
    case 5:
      WrongNumber(AnyLine(lines, dice), dice);
      break;
    case 6:
      OtherEra(AnyLine(lines, dice), dice);
      break;
    case 7: {  // cut, at either end
      std::string& line = AnyLine(lines, dice);
      const size_t at = dice.Below(line.size() + 1);
      line = dice.Below(2) == 0 ? line.substr(at) : line.substr(0, at) + "\n";
      break;
    }
    case 8:  // the next source
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(dice.Below(lines.size() + 1)), "\x1e");
      break;
    case 9: {  // lines of any order
      const size_t a = dice.Below(lines.size() + 1);
      const size_t b = a + dice.Below(lines.size() + 1 - a);
      std::reverse(lines.begin() + static_cast<ptrdiff_t>(a), lines.begin() + static_cast<ptrdiff_t>(b));
      break;
    }
    case 10: {  // one line very often
      const std::string line = AnyLine(lines, dice);
      for (size_t n = dice.Below(200); n > 0; --n) lines.push_back(line);
      break;
    }
    default:
      if (!lines.empty()) lines.erase(lines.begin() + static_cast<ptrdiff_t>(dice.Below(lines.size())));
  }
  return Join(lines, most);
}

std::string InterleaveLogs(std::string_view a, std::string_view b, size_t most, Dice& dice) {
  const Lines left = Split(a);
  const Lines right = Split(b);
  Lines out;
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const bool first = j >= right.size() || (i < left.size() && dice.Below(2) == 0);
    out.push_back(first ? left[i++] : right[j++]);
  }
  return Join(out, most);
}

}  // namespace ncclwhy::fuzz
