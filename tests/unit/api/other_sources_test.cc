// What other files of a job tell of somebody's end: it went on without him, or a stop only tidied up.
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

using Sources = std::vector<std::pair<std::string, std::string>>;

Report Told(const Sources& sources) {
  auto analyzer = Analyzer::Create({});
  REQUIRE(analyzer.ok());
  for (const auto& [name, text] : sources) {
    REQUIRE(analyzer.value()->Begin(name).ok());
    REQUIRE(analyzer.value()->Push(text).ok());
    REQUIRE(analyzer.value()->EndSource().ok());
  }
  return analyzer.value()->Finish().take();
}

std::string Clock(int minute) {
  const std::string digits = std::to_string(100 + minute % 60).substr(1);
  return "[2023-09-03 " + std::to_string(10 + minute / 60) + ":" + digits + ":07,100] ";
}

// A step a minute, from one minute to another.
std::string Steps(int from, int to, int last) {
  std::string text;
  for (int i = from; i <= to; ++i) {
    text += Clock(i) + "step " + std::to_string(i) + "/" + std::to_string(last) + " loss 0.73\n";
  }
  return text;
}

const char kTold[] =
    "WARNING:torch.distributed.elastic.agent.server.api:Received Signals.SIGTERM death signal, shutting down workers\n"
    "torch.distributed.elastic.multiprocessing.api.SignalException: Process 8077 got signal: 15\n";

TEST_CASE("a node that left a job which went on without it", "[api][other_sources]") {
  const std::string left = Steps(1, 20, 60) + kTold;
  const std::string word = Clock(21) + "WARN [elastic] node b left the rendezvous, world size 16 -> 8\n";
  const std::string goes_on = Steps(1, 20, 60) + word + Steps(21, 60, 60) + "Training completed.\n";
  CHECK(Told({{"node-a.log", goes_on}, {"node-b.log", left}}).outcome == Outcome::kSucceeded);
  // Without a word of it, what works on and ends well is something else: an evaluation, a task of the same array.
  CHECK(Told({{"eval.log", Steps(1, 60, 60) + "Training completed.\n"}, {"node-b.log", left}}).outcome ==
        Outcome::kStopped);
  // The others end when it does, or do not come to the end.
  CHECK(Told({{"node-a.log", Steps(1, 21, 60)}, {"node-b.log", left}}).outcome == Outcome::kStopped);
  CHECK(Told({{"node-a.log", Steps(1, 40, 60)}, {"node-b.log", left}}).outcome == Outcome::kStopped);
}

TEST_CASE("a rank that dies when the work of the others ends was not got over", "[api][other_sources]") {
  const std::string died = Steps(1, 59, 60) + Clock(59) + "rank 4 died from signal 11\n";
  CHECK(Told({{"node-a.log", Steps(1, 60, 60)}, {"node-b.log", died}}).outcome == Outcome::kFailed);
}

TEST_CASE("records of one job are its history, those of others are not", "[api][other_sources]") {
  const std::string out = Steps(1, 60, 60) + "Training completed.\n";
  const std::string lost = "JobID|JobName|State|ExitCode|Restarts\n9110_3|kfold|NODE_FAIL|0:0|0\n";
  CHECK(Told({{"a.out", out}, {"sacct.txt", lost + "9110_3|kfold|COMPLETED|0:0|1\n"}}).outcome == Outcome::kSucceeded);
  CHECK(Told({{"a.out", out}, {"sacct.txt", lost + "9110_4|kfold|COMPLETED|0:0|1\n"}}).outcome != Outcome::kSucceeded);
}

TEST_CASE("who is told to leave when the others are done has not been stopped", "[api][other_sources]") {
  const std::string done = Steps(1, 60, 60) + "Training completed.\n";
  const auto worker = [](int last, int minute) { return Steps(1, last, 60) + Clock(minute) + kTold; };
  CHECK(Told({{"master.log", done}, {"worker.log", worker(59, 61)}}).outcome == Outcome::kSucceeded);
  // Long behind it he hung, and in the middle of his work he was stopped.
  CHECK(Told({{"master.log", done}, {"worker.log", worker(59, 90)}}).outcome != Outcome::kSucceeded);
  CHECK(Told({{"master.log", done}, {"worker.log", worker(30, 61)}}).outcome == Outcome::kStopped);
}

TEST_CASE("who runs the job says that it succeeded, later and of this job", "[api][other_sources]") {
  const std::string refused = "[2023-05-20 03:09:40,100] gn1: rank 2 exited with code 1\n";
  const auto told = [](const std::string& time) {
    return "[2023-05-20 " + time + ",100] MPIJob team/bert is successfully completed.\n";
  };
  const std::string out = "training starts\n" + Steps(1, 60, 60) + "Training completed.\n";
  CHECK(Told({{"a.log", refused}, {"b.log", out}, {"operator.log", told("03:49:00")}}).outcome == Outcome::kSucceeded);
  CHECK(Told({{"a.log", refused}, {"b.log", out}, {"operator.log", told("02:49:00")}}).outcome != Outcome::kSucceeded);
}

TEST_CASE("a stop behind somebody's own end in another file tidies up", "[api][other_sources]") {
  const auto died = [](const std::string& time) {
    return "[2023-12-09 " + time +
           "] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) local_rank: 0 (pid: 15300) "
           "of binary: "
           "/usr/bin/python3\n";
  };
  const std::string told =
      "[2023-12-09 20:31:06,412] WARNING: Received Signals.SIGTERM death signal, shutting down workers\n";
  CHECK(Told({{"ws1.log", told}, {"ws2.log", died("20:31:00,100")}}).outcome == Outcome::kFailed);
  CHECK(Told({{"ws1.log", told}, {"ws2.log", died("20:31:09,100")}}).outcome == Outcome::kStopped);
}

}  // namespace
}  // namespace ncclwhy
