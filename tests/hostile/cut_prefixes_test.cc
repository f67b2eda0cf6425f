// What launchers, collectors and NCCL put in front of a line, cut at every byte: at the beginning of a line, in the
// middle of a long one and again and again. Reading ends, soon, and every line is counted.
#include <chrono>
#include <string>

#include "catch.h"
#include "hostile/tally.h"
#include "read/digest.h"

namespace ncclwhy::hostile {
namespace {

constexpr const char* kPrefixes[] = {
    "[1,3]<stdout>:node3:4711:4801 [2] NCCL INFO ",
    "[1,3]<stderr>: node3:4711:4801 [2] misc/socket.cc:484 NCCL WARN ",
    "(RayTrainWorker pid=812, ip=10.1.62.31) [rank9]:[E416 13:21:26.9 ProcessGroupNCCL.cpp:1834] ",
    "\x1b[36m(WorkerDict pid=812)\x1b[0m \x1b[31mERROR\x1b[0m ",
    "[2025-03-01 12:00:00] node1:100:101 [8] transport/net_ib.cc:2107 NCCL WARN ",
    "2026-11-22T10:00:16.432Z 01O node3:4711:4790 [2] NCCL INFO ",
    "2026-11-22T10:00:16.432123456Z stdout F node3:4711:4790 [2] NCCL INFO ",
    "{\"log\":\"node3:4711:4790 [2] NCCL INFO x\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-22T10:00:16Z\"}",
    "{\"kubernetes\":{\"pod_name\":\"w-0\"},\"message\":\"node3:4711:4790 [2] NCCL WARN x\"}",
    "Nov 22 10:00:16 node3 slurmstepd[812]: error: *** STEP 17.0 ON node3 CANCELLED AT 2026-11-22T10:00:16 ***",
    "<13>1 2026-11-22T10:00:16.432Z node3 app 812 - [id@1 a=\"b\"] node3:4711:4790 [2] NCCL INFO ",
    "I0917 19:46:00.202469 118211 ProcessGroupNCCL.cpp:1834] [Rank 3] ",
    "[rank3]:[W1122 10:00:16.432123456 ProcessGroupNCCL.cpp:1496] Warning: ",
    "[default3]:[rank3]: Traceback (most recent call last):",
    "  File \"/usr/lib/python3/train.py\", line 17, in <module>",
    "torch.distributed.DistBackendError: NCCL error in: /x/NCCLUtils.hpp:328, unhandled system error (run with ",
    "0: node3:4711:4790 [2] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 4 - Init START",
    "node3: node3:4711:4790 [2] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
    "worker-0 | node3:4711:4790 [2] NCCL INFO ",
    "logs/rank3.log:17:node3:4711:4790 [2] NCCL INFO ",
    "##[error]node3:4711:4790 [2] NCCL WARN ",
    "&quot;node3:4711:4790 [2] NCCL INFO a &lt;0&gt;&quot;",
    "a,\"node3:4711:4790 [2] NCCL INFO \"\"x\"\"\"",
    "[131453.740743] NVRM: Xid (PCI:0000:3b:00): 79, pid=100, name=python, GPU has fallen off the bus.",
    "training:   2%|\xe2\x96\x8f         | 49/2000 [00:07<04:53,  6.66it/s, loss=4.558]",
    "ip-10-0-0-1:4711:4790 [2] 136.580392 ncclFunction:1396 NCCL TRACE ",
    "Last error:\nsocketProgress: Connection closed by remote peer node3<40005>",
    "srun: error: node3: tasks 0-3: Exited with exit code 1",
    "[node3:4711:4790:0] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x10)",
};

// Milliseconds, and whether lines are counted in classes.
struct Reading {
  double milliseconds = 0;
  bool counted = false;
};

Reading Read(const std::string& text) {
  const auto begin = std::chrono::steady_clock::now();
  DigestBuilder builder("job.log", RuleSet::Embedded(), KnowledgeBase::Embedded());
  builder.Push(text);
  const SourceDigest digest = builder.Finish();
  const Counters& c = digest.facts.counters;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return {took.count(),
          c.Get(Counter::kNccl) + c.Get(Counter::kForeign) + c.Get(Counter::kDamaged) == c.Get(Counter::kLines) &&
              c.Get(Counter::kLines) > 0};
}

TEST_CASE("prefixes that are cut at any byte", "[hostile]") {
  Tally tally("cut-prefixes");
  const std::string header = "node3:4711:4790 [2] NCCL INFO ";
  const std::string filler = "and so on in words of one program that has much to tell and tells it in one line only ";
  for (const char* prefix : kPrefixes) {
    const std::string whole = prefix;
    for (size_t cut = 1; cut <= whole.size(); ++cut) {
      const std::string part = whole.substr(0, cut);
      const std::string tail = whole.substr(cut);
      std::string often;
      for (int i = 0; i < 40; ++i) often += part + " ";
      for (const std::string& text :
           {part, header + filler + filler + part + " " + filler, part + " " + filler + filler + tail,
            header + filler + " " + tail + filler + " " + part, often + filler,
            part + "\n" + tail + "\n" + often + "\n"}) {
        const Reading reading = Read(text + "\n");
        tally.Try(reading.counted && reading.milliseconds < 2000, text);
      }
    }
  }
  CHECK(tally.failed() == 0);
}

}  // namespace
}  // namespace ncclwhy::hostile
