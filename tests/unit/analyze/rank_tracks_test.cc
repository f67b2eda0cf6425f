// When the steps of a story were, where the clock is the program's own, and what each rank did meanwhile.
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

using LogTexts = std::vector<std::pair<std::string, std::string>>;

Report ReportOnTexts(const LogTexts& sources) {
  const auto analyzer = Analyzer::Create({}).take();
  for (const auto& [name, text] : sources) {
    REQUIRE(analyzer->Begin(name).ok());
    REQUIRE(analyzer->Push(text).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  return analyzer->Finish().take();
}

std::string Two(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// Steps of rank 0 by Python's logging, from 11:09:10 on, and the end of rank 2 by a traceback without a stamp.
std::string Crash(const std::string& between = "") {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string r = std::to_string(rank);
    log += "2026-11-22 11:08:59,471 - INFO - dist.py:41 - [rank " + r + "] rank " + r + " of 4 on node" +
           std::to_string(2 + rank / 2) + ", local rank " + std::to_string(rank % 2) + "\n";
  }
  for (int i = 1; i <= 15; ++i) {
    log += "2026-11-22 11:09:" + Two(9 + i) + ",250 - INFO - train.py:212 - [rank 0] step=" + std::to_string(i) +
           "/30 loss=7." + std::to_string(90 - i) + "\n";
  }
  return log + between +
         "Traceback (most recent call last):\n  File \"train.py\", line 318, in <module>\n    main(cfg)\n"
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2048x4096 and 5120x32000)\n"
         "srun: error: node3: task 2: Exited with exit code 1\n"
         "slurmstepd-node2: error: *** STEP 37.0 ON node2 CANCELLED AT 2026-11-22T11:09:27 ***\n"
         "srun: error: node2: tasks 0-1: Terminated\n";
}

const TimelineStep* StepOf(const Report& report, std::string_view kind) {
  for (const TimelineStep& step : report.timeline) {
    if (step.kind == kind) return &step;
  }
  return nullptr;
}

TEST_CASE("a line without a stamp has that of the nearest one in front of it", "[analyze]") {
  const Report report = ReportOnTexts({{"train.out", Crash()}});
  REQUIRE(StepOf(report, "progress") != nullptr);
  REQUIRE(StepOf(report, "root") != nullptr);
  CHECK(StepOf(report, "progress")->time == "2026-11-22 11:09:24,250");
  CHECK(StepOf(report, "root")->time == "2026-11-22 11:09:24,250");
  CHECK(report.timeline.back().kind == "ending");
  CHECK(report.timeline.back().time == "2026-11-22T11:09:27");  // slurmstepd's, within its words
  REQUIRE(report.span);
  CHECK(report.span->to == "2026-11-22T11:09:27");
}

TEST_CASE("nobody lends a stamp where stamps do not run forward", "[analyze]") {
  // Another log was put behind the first one.
  std::string earlier;
  for (int i = 1; i <= 5; ++i) {
    earlier += "2026-11-21 08:00:0" + std::to_string(i) + ",250 - INFO - eval.py:7 - batch=" + std::to_string(i) +
               "/9 acc=0.5" + std::to_string(i) + "\n";
  }
  const Report report = ReportOnTexts({{"train.out", Crash(earlier)}});
  REQUIRE(StepOf(report, "root") != nullptr);
  CHECK(StepOf(report, "root")->time.empty());
}

TEST_CASE("records of JSON have the stamp of their member", "[analyze]") {
  std::string log;
  for (int i = 1; i <= 22; ++i) {
    log += "0: {\"ts\": 17953457" + std::to_string(60 + i) +
           ".540, \"level\": \"INFO\", \"rank\": 0, \"step\": " + std::to_string(i) +
           ", \"max_steps\": 60, \"loss\": 7." + std::to_string(90 - i) + "}\n";
  }
  for (int rank = 0; rank < 3; ++rank) {
    const std::string r = std::to_string(rank);
    log += r + ": {\"ts\": 1795345790.643, \"level\": \"ERROR\", \"rank\": " + r + ", \"msg\": \"rank " + r +
           ": step watchdog: collective #23 (ALLREDUCE) of step 23 did not finish in 6 s\"}\n";
  }
  log += "srun: error: node2: tasks 0-2: Exited with exit code 1\nsrun: error: node2: task 3: Terminated\n";
  const Report report = ReportOnTexts({{"job.log", log}});
  REQUIRE(StepOf(report, "progress") != nullptr);
  CHECK(StepOf(report, "progress")->time == "1795345782.540");
  CHECK(report.axis == TrackAxis::kSeconds);
  // Who gave up had waited since the last step.
  REQUIRE(report.tracks.size() == 4);
  for (size_t rank = 1; rank < 3; ++rank) {
    const std::vector<TrackPart>& parts = report.tracks[rank].parts;
    const auto wait = std::find_if(parts.begin(), parts.end(), [](const TrackPart& p) { return p.kind == "wait"; });
    REQUIRE(wait != parts.end());
    CHECK(wait->to - wait->from > 8);
  }
}

TEST_CASE("tracks know the ranks that a roll call or a launcher names", "[analyze]") {
  const Report report = ReportOnTexts({{"train.out", Crash()}});
  std::string ranks;
  for (const RankTrack& track : report.tracks) {
    ranks += std::to_string(track.rank) + " " + track.host + (track.culprit ? " culprit" : "") + "\n";
  }
  CHECK(ranks == "-1 \n0 node2\n1 node2\n2 node3 culprit\n3 node3\n");
  CHECK(report.tracks.front().parts.front().kind == "work");
}

TEST_CASE("without a clock collectives are the axis", "[analyze]") {
  LogTexts files;
  for (int rank = 0; rank < 3; ++rank) {
    const std::string r = std::to_string(rank), header = "h1:70" + r + ":70" + r + " [" + r + "] NCCL INFO ";
    std::string log = header + "ncclCommInitRank comm 0x7f" + r + " rank " + r + " nranks 3 cudaDev " + r +
                      " nvmlDev " + r + " busId 1000 commId 0x91 - Init COMPLETE\n";
    for (int call = 0; call < (rank == 1 ? 6 : 9); ++call) {
      log += header + "AllReduce: opCount " + std::to_string(call) +
             " sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 " + "root 0 comm 0x7f" + r +
             " [nranks=3] stream 0x5\n";
    }
    log += rank == 1 ? "" : "rank " + r + ": step watchdog: no progress for 8 s\n";
    files.emplace_back("rank" + r + ".log", log);
  }
  const Report report = ReportOnTexts(files);
  CHECK(report.axis == TrackAxis::kCalls);
  REQUIRE(report.tracks.size() == 3);
  REQUIRE(!report.tracks[1].parts.empty());
  CHECK(report.tracks[1].parts[0].to == 6);
  CHECK(report.tracks[0].parts[0].to == 9);
}

TEST_CASE("what several say in the same words is one step", "[analyze]") {
  const Report report = ReportOnTexts({{"train.out", Crash()}});
  for (size_t i = 0; i < report.timeline.size(); ++i) {
    for (size_t k = i + 1; k < report.timeline.size(); ++k) {
      const bool alike =
          report.timeline[i].what == report.timeline[k].what && report.timeline[i].rank == report.timeline[k].rank;
      CHECK_FALSE(alike);
    }
  }
}

}  // namespace
}  // namespace ncclwhy
