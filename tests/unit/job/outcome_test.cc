#include "job/outcome.h"

#include <string>
#include <utility>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

struct Case {
  explicit Case(const std::string& text) {
    Parser parser("job.log", nullptr, nullptr);
    parser.Push(text);
    facts = parser.Finish();
    model = BuildJobModel({&facts});
  }
  LifeSign At(uint32_t line, Life life, Ending how = Ending::kNone, SignOf of = SignOf::kJob) const {
    LifeSign s;
    s.life = life;
    s.how = how;
    s.of = of;
    s.source = SourceId{0};
    s.line = s.last_line = line;
    return s;
  }
  SourceFacts facts;
  JobModel model;
};

std::string Steps(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "step " + std::to_string(i) + "/20 done\n";
  return text;
}

TEST_CASE("work that reached what it counts to has succeeded", "[outcome]") {
  const Case c(Steps(1, 20));
  const OutcomeReading o = ReadOutcome(c.model, {});
  CHECK(o.outcome == Outcome::kSucceeded);
  REQUIRE(o.pulse != nullptr);
  CHECK(o.pulse->last_value == 20);
}

TEST_CASE("a log that just ends is unknown", "[outcome]") {
  const Case c(Steps(1, 12));
  CHECK(ReadOutcome(c.model, {}).outcome == Outcome::kUnknown);
}

TEST_CASE("a bar that is drawn in another way once it is full has come to its end, if no epoch is left", "[outcome]") {
  const auto run = [](int epochs, int of) {
    std::string text;
    for (int e = 1; e <= epochs; ++e) {
      text += "Epoch " + std::to_string(e) + "/" + std::to_string(of) + "\n";
      for (const char* bar : {"100/312 [====>....] - ETA: 42s", "200/312 [=======>.] - ETA: 22s",
                              "312/312 [=========] - 61s 195ms/step"}) {
        text += std::string(bar) + " - loss: 0." + std::to_string(90 - e) + "\n";
      }
    }
    return ReadOutcome(Case(text).model, {}).outcome;
  };
  CHECK(run(12, 12) == Outcome::kSucceeded);
  CHECK(run(7, 12) == Outcome::kUnknown);
}

TEST_CASE("who counts the seconds of his waiting does no work: the job hangs, whoever ended before", "[outcome]") {
  const auto waiting = [](int step, const std::string& text, const std::string& unit = " s") {
    std::string out;
    for (int minute = 0; minute < 16; ++minute) {
      const int seconds = step * minute;
      out += "06/30/2021 10:" + std::to_string(12 + minute) + ":17 - " + text + " " + std::to_string(seconds) + unit +
             "\n";
    }
    return out;
  };
  const Case hangs("ssh to gn04: exited\n" + waiting(60, "WARNING - 等待 gn04"));
  REQUIRE(hangs.facts.waits.size() == 1);
  CHECK(hangs.facts.waits[0].seconds == 900);
  CHECK(hangs.facts.pulses.empty());
  CHECK(ReadOutcome(hangs.model, {}).outcome == Outcome::kHung);
  CHECK(ReadOutcome(hangs.model, {hangs.At(1, Life::kEnding, Ending::kExit, SignOf::kNamed)}).outcome ==
        Outcome::kHung);
  CHECK(ReadOutcome(hangs.model, {hangs.At(1, Life::kEnding, Ending::kExit)}).outcome == Outcome::kFailed);
  CHECK(ReadOutcome(hangs.model, {hangs.At(17, Life::kEnding, Ending::kExit, SignOf::kNamed)}).outcome ==
        Outcome::kFailed);
  // A number that grows otherwise than the clock counts something.
  const Case works(waiting(37, "INFO - processed", " items"));
  CHECK(works.facts.waits.empty());
  CHECK(works.facts.pulses.size() == 1);
}

TEST_CASE("a wait is counted without stamps where its words say what they count", "[outcome]") {
  const auto counted = [](const std::string& before, const std::string& behind) {
    std::string text = Steps(1, 9);
    for (int minute = 5; minute <= 60; minute += 5) text += before + std::to_string(minute * 60) + behind + "\n";
    return Case(text);
  };
  for (const auto& [before, behind] :
       {std::pair("[monitor] last step finished ", "s ago, 8/8 alive"),
        std::pair("[gpu-a7] barrier pending ", "s; gpu use: 0"), std::pair("已等待 ", " 秒")}) {
    INFO(before);
    const Case hangs = counted(before, behind);
    REQUIRE(hangs.facts.waits.size() == 1);
    CHECK(hangs.facts.waits[0].seconds == 3600);
    CHECK(ReadOutcome(hangs.model, {}).outcome == Outcome::kHung);
  }
  CHECK(counted("trained ", " samples").facts.waits.empty());
  CHECK(counted("trained for ", "s").facts.waits.empty());
}

TEST_CASE("a table behind the launcher's last word is no work", "[outcome]") {
  std::string text = "mpirun detected that one or more processes exited with non-zero status\n";
  for (int port = 0; port < 4; ++port) {
    for (int index = 0; index < 4; ++index) {
      text += "mlx5_" + std::to_string(port) + "\t1\t" + std::to_string(index) + "\t" +
              (index < 2 ? "fe80::1" : "10.41.0.12") + "\tv2\n";
    }
  }
  const Case c(text);
  CHECK(ReadOutcome(c.model, {c.At(1, Life::kEnding, Ending::kExit)}).outcome == Outcome::kFailed);
}

TEST_CASE("a lost node in a list of events does not fail a job that came to its end", "[outcome]") {
  Parser work("job.log", nullptr, nullptr), list("events.txt", nullptr, nullptr);
  work.Push(Steps(1, 20));
  list.Push("19m  Warning  NodeNotReady  pod/w-3  Node is not ready\n");
  const SourceFacts facts[] = {list.Finish(), work.Finish()};
  const JobModel model = BuildJobModel({&facts[0], &facts[1]});
  LifeSign lost;
  lost.life = Life::kEnding;
  lost.how = Ending::kStopped;
  lost.of = SignOf::kJob;
  lost.source = SourceId{0};
  lost.line = lost.last_line = 1;
  CHECK(ReadOutcome(model, {lost}).outcome == Outcome::kSucceeded);
}

TEST_CASE("an ending behind which work goes on was overcome, one behind which nothing comes was not", "[outcome]") {
  const Case c(Steps(1, 10) + "worker exited\n" + Steps(11, 20) + "exited\n");
  CHECK(ReadOutcome(c.model, {c.At(11, Life::kEnding, Ending::kExit)}).outcome == Outcome::kSucceeded);
  const OutcomeReading late = ReadOutcome(c.model, {c.At(22, Life::kEnding, Ending::kSignal)});
  CHECK(late.outcome == Outcome::kFailed);
  CHECK(late.work_done);
  CHECK(late.bad.size() == 1);
}

TEST_CASE("who dies when all work is done and a word behind it says that it ended well has succeeded", "[outcome]") {
  const auto outcome = [](const Case& c, uint32_t last, Ending how) {
    return ReadOutcome(c.model,
                       {c.At(last - 1, Life::kEnding, how, SignOf::kNamed), c.At(last, Life::kEnding, Ending::kClean)})
        .outcome;
  };
  const Case all(Steps(1, 20) + "worker 2 died unexpectedly\nexit code: 0\n");
  CHECK(outcome(all, 22, Ending::kExit) == Outcome::kSucceeded);
  CHECK(outcome(all, 22, Ending::kStopped) != Outcome::kSucceeded);
  const Case half(Steps(1, 12) + "worker 2 died unexpectedly\nexit code: 0\n");  // of the tee behind it, maybe
  CHECK(outcome(half, 14, Ending::kExit) == Outcome::kFailed);
}

TEST_CASE("the word on the whole holds, whatever a process says behind it", "[outcome]") {
  const Case c("engine died\n9 passed in 403.18s\n# exit status 0\n");
  const LifeSign died = c.At(1, Life::kEnding, Ending::kAbort);
  const LifeSign passed = c.At(2, Life::kEnding, Ending::kClean);
  const LifeSign left = c.At(3, Life::kEnding, Ending::kClean, SignOf::kSelf);
  CHECK(ReadOutcome(c.model, {died, passed}).outcome == Outcome::kSucceeded);
  CHECK(ReadOutcome(c.model, {died, passed, left}).outcome == Outcome::kSucceeded);
  CHECK(ReadOutcome(c.model, {died, left}).outcome == Outcome::kFailed);
}

TEST_CASE("stopped from outside is not failed; waiting at the end is hung, before progress it is not", "[outcome]") {
  const Case c(Steps(1, 12) + "a line\n");
  CHECK(ReadOutcome(c.model, {c.At(13, Life::kEnding, Ending::kStopped)}).outcome == Outcome::kStopped);
  CHECK(ReadOutcome(c.model, {c.At(13, Life::kWaiting)}).outcome == Outcome::kHung);
  CHECK(ReadOutcome(c.model, {c.At(3, Life::kWaiting)}).outcome == Outcome::kUnknown);
}

TEST_CASE("who waits and gives up has failed", "[outcome]") {
  const Case c(Steps(1, 12) + "watchdog: giving up\n");
  CHECK(ReadOutcome(c.model, {c.At(13, Life::kWaiting)}).outcome == Outcome::kHung);
  CHECK(ReadOutcome(c.model, {c.At(13, Life::kWaiting, Ending::kAbort)}).outcome == Outcome::kFailed);
}

TEST_CASE("a program that stops its steady work to say new things has wound up", "[outcome]") {
  const std::string work = [] {
    std::string text;
    for (int i = 1; i <= 40; ++i) text += "step " + std::to_string(i) + " done\n";
    return text;
  }();
  const Case cut(work + "evaluation begins\n");
  CHECK_FALSE(ReadOutcome(cut.model, {}).wound_up);
  const Case done(work + "best so far: mars\nmodel is saved\nsize on disk small\nresults follow\nbye bye\n");
  CHECK(ReadOutcome(done.model, {}).wound_up);
}

TEST_CASE("a benchmark that begins behind the end of another has not come to its own", "[outcome]") {
  const Case c(Steps(1, 20) + "ended\nbegins\n");
  const LifeSign ended = c.At(21, Life::kEnding, Ending::kClean);
  CHECK(ReadOutcome(c.model, {ended, c.At(22, Life::kLaunch, Ending::kNone, SignOf::kJob)}).outcome ==
        Outcome::kSucceeded);
  const Case open(Steps(1, 12) + "ended\nbegins\n");
  CHECK(ReadOutcome(open.model, {open.At(13, Life::kEnding, Ending::kClean),
                                 open.At(14, Life::kLaunch, Ending::kNone, SignOf::kSelf)})
            .outcome == Outcome::kUnknown);
}

TEST_CASE("what each rank says when it leaves is no work that goes on", "[outcome]") {
  const std::string leave =
      "result of 11 done\nresult of 12 done\nresult of 13 done\nresult of 14 done\nresult of 15 done\n";
  const Case c(Steps(1, 12) + "ended\n" + leave);
  CHECK(ReadOutcome(c.model, {c.At(13, Life::kEnding, Ending::kClean)}).outcome == Outcome::kSucceeded);
}

TEST_CASE("the work of another program overcomes no ending", "[outcome]") {
  const auto samples = [](int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i) text += "served " + std::to_string(i) + " requests\n";
    return text;
  };
  const auto outcome = [](const Case& c) {
    return ReadOutcome(c.model, {c.At(11, Life::kEnding, Ending::kExit)}).outcome;
  };
  CHECK(outcome(Case(Steps(1, 10) + "exit 1\n" + samples(1, 20))) == Outcome::kFailed);
  // The work before goes on, too; or there was none.
  CHECK(outcome(Case(Steps(1, 10) + "exit 1\n" + samples(1, 20) + Steps(11, 14))) != Outcome::kFailed);
  CHECK(outcome(Case("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nexit 1\n" + samples(1, 20))) != Outcome::kFailed);
}

TEST_CASE("the last attempt decides", "[outcome]") {
  const Case c(Steps(1, 10) + "died\nagain\n" + Steps(1, 20));
  const OutcomeReading o = ReadOutcome(c.model, {c.At(11, Life::kEnding, Ending::kSignal), c.At(12, Life::kRestart)});
  CHECK(o.outcome == Outcome::kSucceeded);
  CHECK(o.restarts.size() == 1);
}

TEST_CASE("what was counted before ranks are brought together is no work", "[outcome]") {
  std::string getting_ready;
  for (int i = 1; i <= 20; ++i) getting_ready += "index shard " + std::to_string(i) + "/20 ok\n";
  CHECK(ReadOutcome(Case(getting_ready).model, {}).outcome == Outcome::kSucceeded);
  const Case c(getting_ready + "n1:11:11 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>\nValueError: no\n");
  const OutcomeReading o = ReadOutcome(c.model, {c.At(22, Life::kEnding, Ending::kException, SignOf::kSelf)});
  CHECK(o.outcome == Outcome::kFailed);
  CHECK_FALSE(o.work_done);
  CHECK(o.pulse == nullptr);
}

TEST_CASE("whom a scheduler stops works on for as long as it is let", "[outcome]") {
  const Case c(Steps(1, 8) + "CANCELLED DUE TO TIME LIMIT\n" + Steps(9, 14));
  CHECK(ReadOutcome(c.model, {c.At(9, Life::kEnding, Ending::kStopped)}).outcome == Outcome::kStopped);
  CHECK(ReadOutcome(c.model, {c.At(9, Life::kEnding, Ending::kExit)}).outcome == Outcome::kUnknown);
}

TEST_CASE("a test runner's verdict is on what its tests provoked", "[outcome]") {
  const Case c(Steps(1, 12));
  LifeSign killed = c.At(4, Life::kEnding, Ending::kSignal, SignOf::kNamed);
  killed.signal = "9";
  LifeSign passed = c.At(12, Life::kEnding, Ending::kClean);
  CHECK(ReadOutcome(c.model, {killed, passed}).outcome == Outcome::kSucceeded);
  passed.suite = true;
  CHECK(ReadOutcome(c.model, {killed, passed}).bad.empty());
  // Behind the verdict something else ended.
  killed.line = killed.last_line = 13;
  CHECK(ReadOutcome(c.model, {passed, killed}).bad.size() == 1);
}

TEST_CASE("who fell silent behind an exception ended what others came to grief of", "[outcome]") {
  const std::string raised =
      "[rank5]: Traceback (most recent call last):\n[rank5]: ZeroDivisionError: division by zero\n";
  const std::string aborts = "[rank0]: Watchdog caught\n";
  const auto endings = [&](const std::string& text, uint32_t last) {
    const Case c(text);
    LifeSign exception = c.At(8, Life::kEnding, Ending::kException, SignOf::kSelf);
    for (const Process& p : c.model.processes) {
      if (p.launcher_rank == 5) exception.process = p.id;
    }
    LifeSign abort = c.At(last, Life::kEnding, Ending::kAbort, SignOf::kSelf);
    return ReadOutcome(c.model, {exception, abort}).bad.size();
  };
  // Others worked on for some steps, and gave up then.
  CHECK(endings(Steps(1, 6) + raised + Steps(7, 11) + aborts, 14) == 2);
  // It went on itself: it had caught it.
  CHECK(endings(Steps(1, 6) + raised + Steps(7, 11) + "[rank5]: goes on\n" + aborts, 15) == 1);
}

TEST_CASE("who ended before a lost node is noticed ended of it", "[outcome]") {
  const Case c(Steps(1, 12) + "terminate called\nNode failure on n2\n");
  const LifeSign abort = c.At(13, Life::kEnding, Ending::kAbort, SignOf::kSelf);
  LifeSign lost = c.At(14, Life::kEnding, Ending::kStopped);
  CHECK(ReadOutcome(c.model, {abort, lost}).outcome == Outcome::kFailed);
  lost.late = true;
  CHECK(ReadOutcome(c.model, {abort, lost}).outcome == Outcome::kStopped);
}

}  // namespace
}  // namespace ncclwhy
