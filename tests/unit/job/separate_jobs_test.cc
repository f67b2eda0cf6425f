#include "job/separate_jobs.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

using Source = std::pair<std::string, std::string>;  // name, text

std::string InitLine(const std::string& host, int pid, int rank, int nranks, const std::string& comm_id) {
  const std::string header =
      host + ":" + std::to_string(pid) + ":" + std::to_string(pid) + " [" + std::to_string(rank) + "] NCCL INFO ";
  const std::string what = "comm 0x55" + std::to_string(pid) + " rank " + std::to_string(rank) + " nranks " +
                           std::to_string(nranks) + " cudaDev 0 busId 1000";
  return header + (comm_id.empty() ? what + " - Init COMPLETE\n"
                                   : "ncclCommInitRank " + what + " commId " + comm_id + " - Init COMPLETE\n");
}

// Two ranks of one job.
std::string World(const std::string& host, int pid, const std::string& comm_id, int nranks = 2) {
  std::string out;
  for (int rank = 0; rank < nranks; ++rank) out += InitLine(host, pid + rank, rank, nranks, comm_id);
  return out;
}

std::string StepLines(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "step " + std::to_string(i) + "/20 done\n";
  return text;
}

// Each job as its spans: "a 1-2, b". Sources by name; `marks` of the first source.
std::vector<std::string> JobsOf(const std::vector<Source>& sources, std::vector<Mark> marks = {}) {
  std::deque<SourceFacts> facts;
  std::vector<const SourceFacts*> views;
  for (const auto& [name, text] : sources) {
    Parser parser(name, nullptr, nullptr, {});
    parser.Push(text);
    views.push_back(&facts.emplace_back(parser.Finish()));
  }
  const JobModel model = BuildJobModel(views);
  std::vector<std::vector<Mark>> all(sources.size());
  all[0] = std::move(marks);
  std::vector<std::string> out;
  for (const JobPart& part : SeparateJobs(model, all)) {
    std::string text;
    for (const Span& span : part.spans) {
      text += (text.empty() ? "" : ", ") + model.sources[span.source.value]->name;
      if (!span.whole()) text += " " + std::to_string(span.first) + "-";
      if (!span.whole() && span.last != UINT32_MAX) text += std::to_string(span.last);
    }
    out.push_back(text);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST_CASE("one job is not taken apart", "[jobs]") {
  CHECK(JobsOf({{"a", World("n1", 1, "0xaa")}}).empty());
  CHECK(
      JobsOf({{"rank0.log", InitLine("n1", 1, 0, 2, "0xaa")}, {"rank1.log", InitLine("n2", 2, 1, 2, "0xaa")}}).empty());
  SECTION("nor by ranks one behind the other in a file, as cat makes it") {
    CHECK(JobsOf({{"a", InitLine("n1", 1, 0, 2, "0xaa") + "x\n" + InitLine("n2", 2, 1, 2, "0xaa")}}).empty());
  }
  SECTION("nor by two communicators at the same time in one stream") {
    CHECK(JobsOf({{"a", InitLine("n1", 1, 0, 2, "0xaa") + InitLine("n2", 3, 0, 2, "0xbb") +
                            InitLine("n1", 2, 1, 2, "0xaa") + InitLine("n2", 4, 1, 2, "0xbb")}})
              .empty());
  }
  SECTION("nor by parts of a service that come up one behind the other on hosts of their own") {
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + World("n2", 3, "0xbb")}}).empty());
  }
  SECTION("nor by plain files beside it") {
    CHECK(JobsOf({{"job.log", World("n1", 1, "0xaa")}, {"launch.log", "mpirun: exit 1\n"}}, {}).empty());
  }
}

TEST_CASE("daemons of a host and workers without one are no other job", "[jobs]") {
  const std::string daemons =
      "Mar  9 01:11:58 n1 jsmd[9543]: ok\nMar  9 01:30:14 n1 sshd[9319]: ok\nMar  9 02:59:32 n1 kernel: Out of "
      "memory\n";
  // The marks are of the first source.
  const std::vector<Mark> killed = {{3, Life::kEnding, false}};
  CHECK(JobsOf({{"messages.n1", daemons}, {"train.out", World("n1", 1, "0xaa")}}, killed).empty());
  CHECK(JobsOf({{"other.log", daemons}, {"train.out", World("n1", 1, "0xaa")}}, killed).size() == 2);
  const std::string ready = "(VllmWorkerProcess pid=77) Worker ready\n";
  CHECK(JobsOf({{"a", ready + World("n1", 1, "0xaa")}}).empty());
  CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + ready}}).empty());
  CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + "exit 1\n" + ready}}, {{3, Life::kEnding, true}}).size() == 2);
}

TEST_CASE("two runs in one stream", "[jobs]") {
  SECTION("with the same seats taken again") {
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + "bye\n" + World("n1", 11, "0xbb")}}) == Texts{"a 1-3", "a 4-"});
  }
  SECTION("of other sizes") {
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + World("n2", 11, "0xbb", 4)}}) == Texts{"a 1-2", "a 3-"});
  }
  SECTION("the words at the ending are of the first") {
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + "exit 1\nhello\n" + World("n1", 11, "0xbb")}},
                 {{3, Life::kEnding, true}}) == Texts{"a 1-3", "a 4-"});
  }
  SECTION("a launch is of the second") {
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + "bye\n+ mpirun\nhello\n" + World("n1", 11, "0xbb")}},
                 {{4, Life::kLaunch, true}}) == Texts{"a 1-3", "a 4-"});
  }
  SECTION("without a commId") {
    CHECK(JobsOf({{"a", World("n1", 1, "") + "bye\n" + World("n1", 11, "")}}) == Texts{"a 1-3", "a 4-"});
  }
  SECTION("what a script launches before is no run of its own, unless it came to grief") {
    const std::string text = "cleared 1\ncleared 2\ncleared 3\ncleared 4\nlaunch\n" + StepLines(1, 20);
    CHECK(JobsOf({{"a", text}}, {{5, Life::kLaunch, true}}).empty());
    CHECK(JobsOf({{"a", text}}, {{3, Life::kNone, false}, {5, Life::kLaunch, true}}) == Texts{"a 1-4", "a 5-"});
  }
  SECTION("a benchmark that died before its work is one") {
    const std::string text = "begins\nexit 1\nbegins\n" + StepLines(1, 20);
    const Mark died{2, Life::kEnding, false};
    CHECK(JobsOf({{"a", text}}, {{1, Life::kLaunch, false}, died, {3, Life::kLaunch, false}}) ==
          Texts{"a 1-2", "a 3-"});
    CHECK(JobsOf({{"a", text}}, {{1, Life::kLaunch, true}, died, {3, Life::kLaunch, true}}).empty());
  }
  SECTION("another attempt is no other job") {
    CHECK(
        JobsOf({{"a", World("n1", 1, "0xaa") + "restarting\n" + World("n1", 11, "0xbb")}}, {{3, Life::kRestart, true}})
            .empty());
  }
}

TEST_CASE("the same ranks again in the files of each rank are another attempt", "[jobs]") {
  const auto both = [](int rank) {
    return InitLine("n" + std::to_string(rank), 1 + rank, rank, 2, "0xaa") + "\n" +
           InitLine("n" + std::to_string(rank), 11 + rank, rank, 2, "0xbb");
  };
  CHECK(JobsOf({{"rank0.log", both(0)}, {"rank1.log", both(1)}}).empty());
}

TEST_CASE("runs of which NCCL says nothing are told apart by endings and a new beginning", "[jobs]") {
  const std::string text = StepLines(1, 20) + "exit 1\n" + StepLines(1, 20);
  CHECK(JobsOf({{"a", text}}, {{21, Life::kEnding, true}}) == Texts{"a 1-21", "a 22-"});
  SECTION("work that goes on had not ended") {
    CHECK(JobsOf({{"a", StepLines(1, 10) + "exit 1\n" + StepLines(11, 20)}}, {{11, Life::kEnding, true}}).empty());
  }
  SECTION("the ending of one process is not that of the job") {
    CHECK(JobsOf({{"a", text}}, {{21, Life::kEnding, false}}).empty());
  }
  SECTION("a step that fails before the work begins is part of it") {
    CHECK(JobsOf({{"a", "exit 1\n" + StepLines(1, 20)}}, {{1, Life::kEnding, true}}).empty());
  }
  SECTION("another attempt is no other job") {
    CHECK(JobsOf({{"a", StepLines(1, 20) + "exit 1\nrestarting\n" + StepLines(1, 20)}},
                 {{21, Life::kEnding, true}, {22, Life::kRestart, true}})
              .empty());
  }
}

TEST_CASE("the next epoch behind the end of somebody is no other run", "[jobs]") {
  const auto epoch = [](int number) {
    std::string text;
    for (int i = 0; i < 20; ++i)
      text += "Epoch " + std::to_string(number) + " step " + std::to_string(i) + "/20 done\n";
    return text;
  };
  Mark died;
  died.life = Life::kEnding;
  died.how = Ending::kKilled;
  died.of_job = true;
  died.line = 41;
  CHECK(JobsOf({{"a", epoch(1) + epoch(2) + "run.sh: line 38: 2210 Killed  python mirror.py\n" + epoch(3)}}, {died})
            .empty());
}

TEST_CASE("a run that died while it began", "[jobs]") {
  const std::string died = "No module named apex\ntrain.py FAILED\nexitcode : 1\n";
  const std::vector<Mark> marks = {{1, Life::kEnding, false, Ending::kException},
                                   {2, Life::kEnding, true, Ending::kExit},
                                   {3, Life::kEnding, true, Ending::kExit}};
  SECTION("is not overcome by another program that works") {
    CHECK(JobsOf({{"a", died + StepLines(1, 20)}}, marks) == Texts{"a 1-3", "a 4-"});
  }
  SECTION("one word of its parent may be of a helper") {
    CHECK(JobsOf({{"a", died + StepLines(1, 20)}}, {marks[0], marks[1]}).empty());
  }
  SECTION("nor by one that does little and says that it came to its end") {
    std::vector<Mark> finished = marks;
    finished.push_back({9, Life::kEnding, false, Ending::kClean});
    CHECK(JobsOf({{"a", died + StepLines(1, 4) + "\ndone\n"}}, finished) == Texts{"a 1-3", "a 4-"});
    CHECK(JobsOf({{"a", died + StepLines(1, 4) + "\nover\n"}}, marks).empty());
  }
  SECTION("but by itself, tried once more") {
    const auto begins = [] {
      std::string text;
      for (int i = 1; i <= 20; ++i) text += "loading shard " + std::to_string(i) + " of 20\n";
      return text;
    };
    const std::string text = begins() + died + begins() + StepLines(1, 20) + StepLines(21, 40);
    CHECK(JobsOf({{"a", text}}, {{21, Life::kEnding, false, Ending::kException},
                                 {22, Life::kEnding, true, Ending::kExit},
                                 {23, Life::kEnding, true, Ending::kExit}})
              .empty());
  }
}

TEST_CASE("a run that came to its end, and another behind it", "[jobs]") {
  SECTION("processes that nobody heard of before begin") {
    const std::string text = StepLines(1, 20) + "done training\n";
    const Mark done{21, Life::kEnding, false, Ending::kClean};
    CHECK(JobsOf({{"a", text + InitLine("n1", 11, 0, 2, "0xbb")}}, {done}) == Texts{"a 1-21", "a 22-"});
    CHECK(JobsOf({{"a", text + StepLines(1, 20)}}, {done}).empty());
  }
  SECTION("all that NCCL knows have left, and work begins from the start") {
    const std::string left =
        "n1:1:1 [0] NCCL INFO comm 0x551 rank 0 nranks 2 cudaDev 0 busId 1000 - Destroy COMPLETE\n"
        "n1:2:2 [1] NCCL INFO comm 0x552 rank 1 nranks 2 cudaDev 0 busId 1000 - Destroy COMPLETE\n";
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + left + StepLines(1, 20)}}) == Texts{"a 1-4", "a 5-"});
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + left + "rank 0 done\nrank 1 done\n"}}).empty());
  }
  SECTION("who gave up its communicator is over") {
    const std::string gave_up =
        "n1:1:1 [0] NCCL INFO comm 0x551 rank 0 nranks 2 cudaDev 0 busId 1000 - Abort COMPLETE\n";
    CHECK(JobsOf({{"a", World("n1", 1, "0xaa") + gave_up + World("n2", 3, "0xbb")}}) == Texts{"a 1-3", "a 4-"});
  }
}

TEST_CASE("who warns in front of a launch has not run", "[jobs]") {
  const std::string warm_up =
      "[1652750680.418832] [n1:53260:0]  parser.c:1906 UCX  WARN  unused env variable: UCX_X\n"
      "[1652750680.418833] [n2:53261:0]  parser.c:1906 UCX  WARN  unused env variable: UCX_X\n";
  CHECK(JobsOf({{"a", warm_up + "+ srun train\n" + World("n1", 1, "0xaa")}}, {{3, Life::kLaunch, true}}).empty());
}

TEST_CASE("what the launcher says before NCCL speaks is of the run that begins", "[jobs]") {
  const std::string text = StepLines(1, 20) + "exit 1\ncmd = train\n" + World("n1", 1, "0xaa");
  CHECK(JobsOf({{"a", text}}, {{21, Life::kEnding, true}}) == Texts{"a 1-21", "a 22-"});
}

TEST_CASE("several jobs in a folder", "[jobs]") {
  CHECK(JobsOf({{"x.log", World("n1", 1, "0xaa")}, {"y.log", World("n1", 11, "0xbb")}}) == Texts{"x.log", "y.log"});
  SECTION("files that tell nothing of any job are of all, others go by their folder") {
    CHECK(JobsOf({{"d/a/dmesg", "a\n"},
                  {"d/a/r0", World("n1", 1, "0xaa")},
                  {"d/b/r0", World("n2", 11, "0xbb")},
                  {"d/b/r1", "hello\n"}}) == Texts{"d/a/dmesg, d/a/r0", "d/b/r0, d/b/r1"});
    CHECK(JobsOf({{"dmesg", "a\n"}, {"x", World("n1", 1, "0xaa")}, {"y", World("n2", 11, "0xbb")}}) ==
          Texts{"dmesg, x", "dmesg, y"});
  }
  SECTION("folders that call themselves jobs, wherever they lie") {
    const auto in = [](const std::string& a, const std::string& b) {
      return JobsOf({{a + "/out", StepLines(1, 20)}, {b + "/out", StepLines(1, 20)}}).size();
    };
    CHECK(in("d/run1", "d/run2") == 2);
    CHECK(in("runs/1", "runs/2") == 2);
    CHECK(in("d/slurm-71", "d/slurm-72") == 2);
    CHECK(in("d/node-0", "d/node-1") == 0);
    CHECK(in("truncated-shard/node-0", "truncated-shard/node-1") == 0);
    CHECK(in("run17/0", "run17/1") == 0);
    CHECK(in("tests/job9/node-0", "tests/job9/node-1") == 0);
  }
  SECTION("a stranger is none of a job of which every rank is known") {
    CHECK(JobsOf({{"b.log", "n7:5:5 [0] init.cc:1 NCCL WARN no\n"}, {"a.log", World("n1", 1, "0xaa")}}, {}).empty());
    CHECK(JobsOf({{"a1.log", "n7:5:5 [0] init.cc:1 NCCL WARN no\n"}, {"b.log", World("n1", 1, "0xaa")}},
                 {{1, Life::kNone, false}}) == Texts{"a1.log", "b.log"});
  }
}

TEST_CASE("more jobs than anybody hands over are one", "[jobs]") {
  std::vector<Source> sources;
  for (size_t i = 0; i <= limits::kJobsApart; ++i) {
    const int n = static_cast<int>(i);
    sources.push_back({"job" + std::to_string(1000 + n), World("n1", 1 + 10 * n, "0xa" + std::to_string(n))});
  }
  CHECK(JobsOf(sources).empty());
  sources.pop_back();
  CHECK(JobsOf(sources).size() == limits::kJobsApart);
}

// A benchmark says its parameters behind what the shell printed; the stream is the process's that speaks in it later.
TEST_CASE("what a shell printed in front of a run is no job", "[separate_jobs]") {
  const std::string text = "$ uname -r\n6.8.0-45-generic\n# nThread 1 nGpus 2 minBytes 8 maxBytes 128\n";
  const std::vector<Mark> marks = {{3, Life::kLaunch}};
  const std::string run = InitLine("gpu-a17", 4000, 0, 2, "0xabc") + InitLine("gpu-a17", 4000, 1, 2, "0xabc");
  CHECK(JobsOf({{"terminal.txt", text + run}}, marks).empty());
}

}  // namespace
}  // namespace ncclwhy
