#include "read/passage_reader.h"

#include <string>
#include <vector>

#include "catch.h"
#include "digest_text.h"
#include "read/digest.h"

namespace ncclwhy {
namespace {

SourceDigest DigestOfText(const std::string& text, size_t chunk = SIZE_MAX, ParserOptions options = {}) {
  DigestBuilder builder("log", RuleSet::Embedded(), KnowledgeBase::Embedded(), options);
  for (size_t at = 0; at < text.size(); at += chunk) {
    builder.Push(std::string_view(text).substr(at, chunk));
    if (chunk > text.size()) break;
  }
  return builder.Finish();
}

// Field by field, one event a line.
std::vector<std::string> Events(const SourceDigest& digest, EventKind kind) {
  std::vector<std::string> out;
  for (const Event& e : digest.facts.events) {
    if (e.kind != kind) continue;
    out.push_back(std::to_string(e.line));
    for (uint32_t i = 0; i < e.field_count; ++i) {
      const Field& field = digest.facts.fields[e.field_begin + i];
      out.back() += " " + std::string(FieldName(field.id)) + "=" + std::string(digest.facts.Str(field.value));
    }
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST_CASE("an exception has the innermost frame of the program itself", "[read]") {
  CHECK(Events(DigestOfText("Traceback (most recent call last):\n"
                            "  File \"/opt/train/train.py\", line 9, in main\n    fit(model)\n"
                            "  File \"/opt/train/model.py\", line 402, in training_step\n    self.head(hidden)\n"
                            "  File \"/usr/lib/python3.11/site-packages/torch/nn/linear.py\", line 116, in forward\n"
                            "RuntimeError: shapes cannot be multiplied\n"),
               EventKind::kPythonException) == Lines{"7 exception=RuntimeError message=shapes cannot be multiplied "
                                                     "function=training_step (model.py:402) traceback=6"});
  // Two ranks in one stream, told apart by their labels.
  CHECK(Events(DigestOfText(
                   "[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\n"
                   "[rank0]:   File \"/opt/a.py\", line 1, in load\n[rank1]:   File \"/opt/b.py\", line 2, in step\n"
                   "[rank0]: ValueError: no shard\n[rank1]: KeyError: 'loss'\n"),
               EventKind::kPythonException) ==
        Lines{"5 exception=ValueError message=no shard rank=0 function=load (a.py:1) traceback=4",
              "6 exception=KeyError message='loss' rank=1 function=step (b.py:2) traceback=4"});
  // Two processes in one stream without a label: whose frame that is nobody knows.
  CHECK(
      Events(DigestOfText("Traceback (most recent call last):\nTraceback (most recent call last):\n"
                          "  File \"/opt/a.py\", line 1, in load\n  File \"/opt/b.py\", line 2, in step\n"
                          "ValueError: no shard\nKeyError: 'loss'\n"
                          "Traceback (most recent call last):\n  File \"/opt/c.py\", line 3, in save\nOSError: full\n"),
             EventKind::kPythonException) ==
      Lines{"5 exception=ValueError message=no shard traceback=4 count=2",
            "6 exception=KeyError message='loss' traceback=5 count=1",
            "9 exception=OSError message=full function=save (c.py:3) traceback=2"});
  // One that ended in other words, and the next one of the same process.
  CHECK(Events(DigestOfText(
                   "Traceback (most recent call last):\n  File \"/opt/a.py\", line 1, in load\nstopped by the user\n"
                   "Traceback (most recent call last):\n  File \"/opt/b.py\", line 2, in step\nKeyError: 'loss'\n"),
               EventKind::kPythonException) ==
        Lines{"6 exception=KeyError message='loss' function=step (b.py:2) traceback=2"});
  // None but libraries, and frames of long ago.
  CHECK(Events(DigestOfText("  File \"/usr/lib/python3.11/site-packages/x.py\", line 1, in f\nValueError: x\n"),
               EventKind::kPythonException) == Lines{"2 exception=ValueError message=x"});
  std::string old = "  File \"/opt/a.py\", line 1, in load\n";
  for (int i = 0; i < 200; ++i) old += "step\n";
  CHECK(Events(DigestOfText(old + "ValueError: x\n"), EventKind::kPythonException) ==
        Lines{"202 exception=ValueError message=x"});
}

TEST_CASE("a stack is one event, of every tool that prints stacks", "[read]") {
  // py-spy 0.4
  CHECK(Events(DigestOfText(
                   "Process 4100: python train.py\nThread 4100 (idle): \"MainThread\"\n    wait (threading.py:331)\n"
                   "    main (train.py:9)\nThread 4161 (active)\n    run (a.py:1)\n"),
               EventKind::kStack) ==
        Lines{"2 pid=4100 process=MainThread function=main (train.py:9) frames=wait (threading.py:331) < main "
              "(train.py:9) program=main (train.py:9)",
              "5 pid=4100 process=Thread 4161 function=run (a.py:1) frames=run (a.py:1) program=run (a.py:1)"});
  // faulthandler, gdb 13, glog
  CHECK(Events(DigestOfText(
                   "Current thread 0x00007f3a (most recent call first):\n"
                   "  File \"/opt/conda/lib/python3.11/threading.py\", line 331 in wait\n"
                   "\nExtension modules: numpy.core (total: 1)\n"
                   "Thread 2 (Thread 0x7f3a (LWP 4102) \"python\"):\n#0  0x00007f16 in poll () from /lib/libc.so.6\n"
                   "#1  ncclProxyService (arg=0x0) at proxy.cc:9\n"
                   "Thread 1 (Thread 0x7f3b (LWP 4101) \"python\"):\n"
                   "#0  __GI___libc_read (nbytes=1, fd=18) at ../sysdeps/unix/sysv/linux/read.c:26\n"
                   "#1  0x00007f16 in shard::read (this=0x7f) at /src/io/shard.cc:40\n"
                   "#2  0x00007f17 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442\n\n"
                   "*** SIGSEGV (@0x0) received by PID 4103 (TID 0x7f) from PID 0; stack trace: ***\n"
                   "    @     0x7f16a8c42520 c10d::ProcessGroupNCCL::~ProcessGroupNCCL()\n"),
               EventKind::kStack) ==
        Lines{"1 process=Current thread function=wait (threading.py:331) frames=wait (threading.py:331)",
              "5 process=Thread 2 function=poll frames=poll < ncclProxyService (proxy.cc:9)",
              "8 pid=4101 process=Thread 1 function=shard::read (shard.cc:40) frames=__GI___libc_read < shard::read "
              "(shard.cc:40) < start_thread program=shard::read (shard.cc:40)",
              "13 pid=4103 process=SIGSEGV function=c10d::ProcessGroupNCCL::~ProcessGroupNCCL() "
              "frames=c10d::ProcessGroupNCCL::~ProcessGroupNCCL()"});
}

TEST_CASE("a loop over processes prints the number of each before its frames", "[read]") {
  CHECK(Events(DigestOfText("== 4711\n#0  0x00007f16 in poll () from /lib/libc.so.6\n"
                            "--- pid 4712 ---\n#0  __flock (fd=87) at a.S:78\n#1  main () at a.c:1\n"
                            "4713\n\nwords\n#0  0x00007f16 in read () from /lib/libc.so.6\n"),
               EventKind::kStack) ==
        Lines{"2 pid=4711 process=Current thread function=poll frames=poll",
              "4 pid=4712 process=Current thread function=__flock (a.S:78) frames=__flock (a.S:78) < main (a.c:1) "
              "program=__flock (a.S:78) < main (a.c:1)",
              "9 process=Current thread function=read frames=read"});
}

TEST_CASE("stacks of many ranks in one file, line by line", "[read]") {
  std::string log;
  for (const char* text :
       {"Stack (most recent call first):", "  File \"/a/x.py\", line 1 in f", "  File \"/a/y.py\", line 2 in g", ""}) {
    for (int rank = 0; rank < 28; ++rank) log += std::to_string(rank) + ": " + text + "\n";
  }
  const Lines stacks = Events(DigestOfText(log), EventKind::kStack);
  REQUIRE(stacks.size() == 28);
  CHECK(stacks[7] ==
        "8 rank=7 process=Stack function=f (x.py:1) frames=f (x.py:1) < g (y.py:2) "
        "program=f (x.py:1) < g (y.py:2)");
  CHECK(DigestText(DigestOfText(log, 7)) == DigestText(DigestOfText(log)));
}

TEST_CASE("a stack in whose lines a launcher's labels stand", "[read]") {
  std::string log;
  for (int step = 0; step < 200; ++step) log += " 5: loading\n25: loading\n";
  log +=
      " 5: Thread 0x\n25: terminate called\n 5: 00004009ee9af180 (most recent call first):\n 5:   File \"\n"
      " 5: /usr/lib/python3.12/selectors.py\", line 415 in \n 5: select\n"
      "25: Thread 0x00004001 (most recent call first):\n 5:   File \"/opt/a.py\", line 4\n25:   File \"/opt/b.py\"\n"
      " 5: 0 in f\n25: , line \n25: 7 in g\n 5:   File \n 5: \"/opt/a.py\", line 8 in h\n 5:   File \"/opt/a.py\"\n"
      " 5:   File \"/opt/a.py\", line 9 in main\n";
  CHECK(Events(DigestOfText(log), EventKind::kStack) ==
        Lines{"403 rank=5 process=Thread 0x00004009ee9af180 function=f (a.py:40) frames=select (selectors.py:415) < f "
              "(a.py:40) < h (a.py:8) < main (a.py:9) program=f (a.py:40) < h (a.py:8) < main (a.py:9)",
              "407 rank=25 process=Thread 0x00004001 function=g (b.py:7) frames=g (b.py:7) program=g (b.py:7)"});
  CHECK(DigestText(DigestOfText(log, 7)) == DigestText(DigestOfText(log)));
}

TEST_CASE("what only resembles a stack is none", "[read]") {
  for (const char* text :
       {"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x (y.py:3)\n",
        "Thread 7 (idle) started\n", "Process 3 on node a\n", "Thread 0x7f (most recent call first):\n",
        "#0 building with \"default\"\n", "Port 1:\nState: Down\n", "State: Running\n"}) {
    CAPTURE(text);
    CHECK(Events(DigestOfText(text), EventKind::kStack).empty());
    CHECK(Events(DigestOfText(text), EventKind::kDeviceState).empty());
  }
}

TEST_CASE("a port and its state, of ibstat, ibstatus and ibv_devinfo", "[read]") {
  CHECK(Events(DigestOfText(
                   "CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n"
                   "\tPort 2:\n\t\tState: Down\n\t\tPhysical state: Polling\n\t\tLink layer: InfiniBand\n"
                   "hca_id:\tmlx5_1\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_INIT (2)\n"
                   "Infiniband device 'mlx5_2' port 1 status:\n\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n"),
               EventKind::kDeviceState) == Lines{"3 device=mlx5_0 port=1 state=ACTIVE phase=LINKUP",
                                                 "6 device=mlx5_0 port=2 state=DOWN phase=POLLING network=InfiniBand",
                                                 "11 device=mlx5_1 port=1 state=INIT",
                                                 "13 device=mlx5_2 port=1 state=ACTIVE phase=LINKUP"});
}

TEST_CASE("ncclras in text and in JSON gives the same facts", "[read]") {
  CHECK(
      Events(DigestOfText("#0-0 (3c0ffee3b24a1d07) MISMATCH\n  7 ranks have launched up to operation 64\n"
                          "  Rank 7 has launched up to operation 60 -- GPU 3 managed by process 5203 on node gpu-a2\n"),
             EventKind::kRas) == Lines{"1 phase=communicator value=MISMATCH", "2 phase=launched count=7 value=64",
                                       "3 phase=launched rank=7 value=60 pid=5203 host=gpu-a2"});
  // With the comma that NCCL 2.28.9 forgets in front of missing_ranks.
  const std::string json =
      R"({"nccl_version": "2.28.9", "communicators_count": 1, "communicators": [{"hash": "0x3c", "size": 3, "ranks": [)"
      R"({"rank": 0, "host": "gpu-a1", "pid": 4100, "collective_counts": {"AllReduce": 60}},)"
      R"({"rank": 1, "host": "gpu-a1", "pid": 4101, "collective_counts": {"AllReduce": 64}}])"
      R"("missing_ranks": [{"rank": 2, "host": "gpu-a2", "pid": 5200, "status": {"considered_dead": true}}]}]})";
  const SourceDigest digest = DigestOfText(json);
  CHECK(Events(digest, EventKind::kRas) ==
        Lines{"1 phase=communicator value=0x3c count=2", "2 phase=dead count=1",
              "3 phase=listed host=gpu-a2 rank=2 pid=5200", "4 phase=launched value=64 count=1",
              "5 phase=launched value=60 count=1", "6 phase=listed host=gpu-a1 rank=0 pid=4100"});
  CHECK(digest.facts.counters.Get(Counter::kCutRecords) == 0);
  CHECK(KindOf(json).name == "ncclras-json");
  CHECK(KindOf("{\"communicators\": 3, \"model\": \"x\"}").name == "text-log");
}

TEST_CASE("passages do not depend on where a text is cut", "[read]") {
  std::string log;
  for (int i = 0; i < 40; ++i) log += "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\nnode1:7:7 [0] NCCL INFO x\n";
  ParserOptions small;
  small.segment_bytes = 64;
  for (const size_t chunk : {1u, 50u}) CHECK(DigestText(DigestOfText(log, chunk)) == DigestText(DigestOfText(log)));
  CHECK(Events(DigestOfText(log, 100, small), EventKind::kDeviceState).size() <= 40);
}

}  // namespace
}  // namespace ncclwhy
