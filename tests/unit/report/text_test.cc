#include "base/utf8.h"
#include "catch.h"
#include "report/cut_prose.h"
#include "report/decision_words.h"
#include "report/phrases.h"
#include "report/renderer.h"
#include "report/words.h"
#include "sample_reports.h"

namespace ncclwhy {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

RenderOptions At(int width, Language language = Language::kEnglish) {
  RenderOptions options;
  options.width = width;
  options.language = language;
  return options;
}

bool HasWords(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a failure on a terminal of 80 columns", "[report]") {
  const std::string expected = R"(FAILURE  /dev/shm on gpu-a17 has no room for NCCL's segment of 33.0 MB.
  (shm.too-small, very likely)
  Outcome: failed, it ended during initialisation
  Before, an earlier attempt: gpu-a16 refused the connection
  rank 3 on gpu-a17, pid 4242, GPU 1: the first rank that could not allocate
Evidence
  rank3.log:41  gpu-a17:4242:4242 [1] 2025-11-20 10:00:00 misc/shmutils.cc:72
    NCCL WARN Error: … to 33030532 bytes, error: No space left on device (28)
  rank3.log:44  gpu-a17:4242:4242 [1] NCCL INFO transport/shm.cc:590 -> 2
  missing: no line shows a larger /dev/shm
Then: rank 0 on gpu-a16: lost its peer (rank0.log:88, 12 times) → rank 3 on
  gpu-a17: exited with code 1 (rank3.log:50)
Fix: docker: Give the container a larger /dev/shm.
  $ docker run --shm-size=1g ...
Now: fix first, a rerun would fail again: /dev/shm stays as small as it is.
How sure: 2 independent lines on rank 3, nothing after them went on
Or: /dev/shm cannot be written to (shm.permission): who may write there
  $ ls -ld /dev/shm
Job: 512 lines read of 4 sources; NCCL 2.28.9, 2 hosts, 4 ranks
More: -v for all of it, ncclwhy explain shm.too-small for the cause
)";
  CHECK(RenderText(testing::FailureReport(), At(80)) == expected);
}

TEST_CASE("a long address in a link of the chain does not push out what is said of it", "[report]") {
  Report report = testing::FailureReport();
  const std::string text =
      "NET/IB: Got completion from peer 10.77.0.11<51924> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=129 reqSize=163";
  for (TimelineStep& step : report.timeline) {
    if (step.kind != "consequence") continue;
    step.what = step.text = text;
    step.host.clear();
  }
  const std::string out = RenderText(report, At(100));
  CHECK(HasWords(out, "NET/IB: Got completion with status=IBV_WC_RETRY_EXC_ERR(12)"));
}

TEST_CASE("a command whose tool somebody called already says where its output is", "[report]") {
  Report report = testing::FailureReport();
  report.job.environment.push_back({"output", "show_gids", "ticket.txt", 296});
  const auto told = [&](const std::string& command) {
    report.causes[0].fixes[0].command = command;
    return HasWords(RenderText(report, At(100)), "show_gids is in these logs already: ticket.txt:296");
  };
  CHECK(told("ip -br addr; show_gids"));
  CHECK(told("show_gids | grep v2"));
  CHECK_FALSE(told("echo show_gids"));
  CHECK_FALSE(told("show_gids_of eth0"));
}

TEST_CASE("a path or a name is not cut in its middle, and what is cut does not look like part of one", "[report]") {
  const std::string path = "/pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:825";
  CHECK(WholeWords("NCCL error in: " + path + ", unhandled", 40) == "NCCL error in:");
  CHECK(WholeWords("segment /dev/shm/nccl-Bv5h3H (size 9637888)", 22) == "segment");
  CHECK(WholeWords("segment /dev/shm/nccl-Bv5h3H (size 9637888)", 28) == "segment /dev/shm/nccl-Bv5h3H");
  CHECK(WholeWords("set NCCL_SOCKET_IFNAME", 10) == "set");
  CHECK(WholeWords("in nccl:  Gesellschaft", 15) == "in nccl:  Gesel");  // no name, and much of the room
  CHECK(WholeWords(path, 30) == path);                                   // alone it is worth more than there is
  CHECK(WholeWords(std::string(100, '/'), 20).size() == 20);
  CHECK(WholeWords("请先查明：它在等什么", 10) == "请先查明：");
  CHECK(WithCutSign("segment /dev/shm/nccl-Bv5h3H") == "segment /dev/shm/nccl-Bv5h3H …");
  CHECK(WithCutSign("the last ") == "the last…");
  CHECK(WithCutSign("csrc/device…") == "csrc/device …");
  CHECK(WithCutSign("NCCL error in:") == "NCCL error in: …");
  CHECK(WithCutSign("with error 12, ") == "with error 12 …");
}

TEST_CASE("a place in the folder of the evidence is named without it", "[report]") {
  Report report = testing::FailureReport();
  for (Evidence& item : report.causes[0].evidence) {
    if (!item.file.empty()) item.file = "/runs/17/" + item.file;
  }
  report.checkpoint = Checkpoint{};
  report.checkpoint->step = "20";
  report.checkpoint->file = "/runs/17/train.out";
  report.checkpoint->line = 24;
  CHECK(HasWords(RenderText(report, At(200)), "checkpoint saved at step 20 (train.out:24)"));
  CHECK(HasWords(RenderFull(report, At(200)), "checkpoint saved at step 20 (/runs/17/train.out:24)"));
  report.checkpoint->file = "/other/train.out";
  CHECK(HasWords(RenderText(report, At(200)), "checkpoint saved at step 20 (/other/train.out:24)"));
}

TEST_CASE("a job that hangs is to be ended first", "[report]") {
  Decision decision;
  decision.end_first = true;
  const Words& words = WordsOf(Language::kEnglish);
  CHECK(DecisionSentence(decision, words) == "end the job, which does not go on by itself");
  decision.action = Action::kFixFirst;
  CHECK(DecisionSentence(decision, words) ==
        "end the job, which does not go on by itself; fix first, a rerun would fail again");
  decision.action = Action::kRerun;
  decision.look_first = true;
  decision.why = "find out why";
  CHECK(DecisionSentence(decision, words) == "find out why; then end the hung job and rerun");
}

TEST_CASE("a quote that is cut in its middle keeps the word that turns its end", "[report]") {
  Report report = testing::FailureReport();
  size_t cut_there = 0;
  for (size_t more = 0; more < 60; ++more) {
    report.causes[0].evidence[0].text =
        "NCCL WARN the ranks of communicator 0x7f3a5c000b60 on hosts gpu-a16 gpu-a17 gpu-a18 and gpu-a19 have reached "
        "the barrier in time and wait for the end of the step but Rank 12 on gpu-a18 " +
        std::string(more, 'x');
    const std::string out = RenderText(report, At(80));
    CAPTURE(out);
    CHECK(!HasWords(out, "… Rank 12"));
    cut_there += HasWords(out, "… but Rank 12") ? 1 : 0;
  }
  CHECK(cut_there > 0);
}

TEST_CASE("everything about a failure on a terminal of 80 columns", "[report]") {
  const std::string expected = R"(FAILURE  /dev/shm is too small  (shm.too-small, 93% sure)
  Outcome: failed, it ended during initialisation, first sign at 10:00:02, end
  at 10:00:05
  1. failed: net.refused: gpu-a16 refused the connection
  2. failed: shm.too-small
  rank 3 on gpu-a17, pid 4242, GPU 1: the first rank that could not allocate
  /dev/shm on gpu-a17 has no room for NCCL's segment of 33.0 MB.
  How sure: 2 independent lines on rank 3, nothing after them went on

What it means
  Ranks on one host talk through files in /dev/shm. The file system is full, so
  NCCL cannot make the next one. Containers get 64 MB unless told otherwise.

Evidence
  rank3.log:41 (direct)
  | gpu-a17:4242:4242 [1] 2025-11-20 10:00:00 misc/shmutils.cc:72 NCCL WARN Erro
  | r: failed to extend /dev/shm/nccl-x8Gh2k to 33030532 bytes, error: No space…
  = the kernel refused to make room for the segment
  rank3.log:44 (supporting)
  | gpu-a17:4242:4242 [1] NCCL INFO transport/shm.cc:590 -> 2
  = the call that failed is SHM's
  = missing: no line shows a larger /dev/shm

Then
  - 10:00:00 rank 0 on gpu-a16: NCCL started (4 times) (rank0.log:1)
  - 10:00:02 rank 3 on gpu-a17: /dev/shm is full (rank3.log:41)
  - 10:00:03 rank 0 on gpu-a16: lost its peer (12 times) (rank0.log:88)
  - 10:00:05 rank 3 on gpu-a17: exited with code 1 (rank3.log:50)

Fix
  1. docker: Give the container a larger /dev/shm.
     $ docker run --shm-size=1g ...
  2. kubernetes: Mount a memory-backed volume at /dev/shm.
       volumes:
       - name: shm
         emptyDir: {medium: Memory, sizeLimit: 1Gi}
  3. Remount it larger. Costs: needs root
     $ mount -o remount,size=8G /dev/shm

In other environments
  4. slurm: Ask for a node with a larger /dev/shm.
     $ srun --tmp=8G ...

Confirm
  - Size and use of the file system on gpu-a17.
    $ df -h /dev/shm

Now
  fix first, a rerun would fail again: /dev/shm stays as small as it is. (90%
  sure)

What else it could be, and why not
  - It is not a lack of GPU or host memory: /dev/shm has a size of its own.
  - /dev/shm cannot be written to (shm.permission, 4% sure): the error is
    ENOSPC, not EACCES
  - /dev/shm cannot be written to (shm.permission): who may write there
    $ ls -ld /dev/shm

Seen before
  - A container with the default /dev/shm (shm.too-small): Started it with
    --shm-size=8g.
    https://github.com/example/tool/issues/7

What to collect next
  - The mount options of /dev/shm in the container.
    $ findmnt /dev/shm

Only consequences
  rank0.log:88 (12 times): NCCL WARN Call to connect returned Connection refuse…
  and 1 more line like these

Warnings
  - NCCL_IB_RETRYCNT is not read by any NCCL; NCCL_IB_RETRY_CNT is (rank0.log:3)

Job: NCCL 2.28.9, 2 hosts, 4 processes, 1 communicator of 4 ranks (4 seen),
NET/Socket 4, SHM 4
Read 512 lines of 4 sources: 480 of NCCL (475 recognised, 5 not), 30 of other
programs, 2 damaged.
)";
  CHECK(RenderFull(testing::FailureReport(), At(80)) == expected);
}

TEST_CASE("of many attempts the first and the latest are told, in every format", "[report]") {
  Report report = testing::FailureReport();
  report.attempts.clear();
  for (int i = 1; i <= 30; ++i) {
    report.attempts.push_back({Outcome::kFailed, "net.refused", "rank0.log", 1, 20, "try " + std::to_string(i)});
  }
  for (const std::string& text :
       {RenderFull(report, At(80)), RenderMarkdown(report, At(80)), RenderHtml(report, At(80))}) {
    CHECK(HasWords(text, "try 1"));
    CHECK_FALSE(HasWords(text, "try 2\n"));
    CHECK_FALSE(HasWords(text, "try 10"));
    CHECK_FALSE(HasWords(text, "try 23"));
    CHECK(HasWords(text, "try 24"));
    CHECK(HasWords(text, "try 30"));
    CHECK(HasWords(text, "22 more"));
  }
}

TEST_CASE("nothing but commands is wider than the terminal", "[report]") {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    for (const int width : {40, 80, 100, 200}) {
      for (const Report& report : {testing::FailureReport(), testing::HealthyReport(), testing::UndeterminedReport(),
                                   testing::NoNcclReport(), testing::LargeReport(64)}) {
        for (const std::string& line : Lines(RenderText(report, At(width, language)))) {
          if (HasWords(line, "  $ ") || HasWords(line, "emptyDir")) continue;
          CAPTURE(width, line);
          CHECK(DisplayWidth(line) <= static_cast<size_t>(width));
        }
      }
    }
  }
}

TEST_CASE("a pipe gets whole log lines and no colour", "[report]") {
  const std::string text = RenderText(testing::FailureReport(), At(0));
  CHECK(HasWords(text, "error: No space left on device (28)\n"));
  CHECK_FALSE(HasWords(text, "\x1b"));
}

TEST_CASE("colour comes only when asked and is always closed", "[report]") {
  RenderOptions options = At(80);
  options.color = true;
  const std::string text = RenderText(testing::FailureReport(), options);
  CHECK(text.starts_with("\x1b[1;31mFAILURE\x1b[0m"));
  size_t opened = 0;
  size_t closed = 0;
  for (size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at + 1)) {
    ++(text.compare(at, 4, "\x1b[0m") == 0 ? closed : opened);
  }
  CHECK(opened == closed);
}

TEST_CASE("the failure of 64 ranks fits a screen, its verdict and fix the upper half", "[report]") {
  const std::vector<std::string> lines = Lines(RenderFull(testing::LargeReport(64), At(100)));
  CHECK(lines.size() <= 80);
  const auto fix = std::find(lines.begin(), lines.end(), "Fix");
  CHECK(fix - lines.begin() < 38);
}

TEST_CASE("Chinese labels, and no line begins with closing punctuation", "[report]") {
  const std::string text = RenderFull(testing::FailureReport(), At(60, Language::kChinese)) +
                           RenderText(testing::FailureReport(), At(60, Language::kChinese));
  CHECK(HasWords(text, "失败  "));
  CHECK(HasWords(text, "解决办法\n"));
  CHECK(HasWords(text, "置信度 93%"));
  for (const std::string& line : Lines(text)) {
    const std::string begin = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    CHECK_FALSE(begin.starts_with("，"));
    CHECK_FALSE(begin.starts_with("。"));
  }
}

TEST_CASE("undetermined names candidates and what to collect, not a fix", "[report]") {
  const std::string text = RenderFull(testing::UndeterminedReport(), At(80));
  CHECK(text.starts_with("UNDETERMINED  Something failed, but these logs do not say why.\n"));
  CHECK(HasWords(text, "What it could be\n  - A peer died (net.peer-died, 30% sure)\n"));
  CHECK(HasWords(text, "$ NCCL_DEBUG=INFO"));
  CHECK_FALSE(HasWords(text, "Fix\n"));
}

TEST_CASE("healthy and empty inputs are one sentence and the coverage", "[report]") {
  CHECK(Lines(RenderText(testing::HealthyReport(), At(200))).size() <= 3);
  CHECK(RenderText(testing::NoNcclReport(), At(0))
            .starts_with("NO NCCL OUTPUT  No line of these logs was written by NCCL.\n"));
  Report empty;
  CHECK(RenderText(empty, At(0)).starts_with("NO NCCL OUTPUT  Nothing was read.\n"));
  empty.coverage.sources = 1;
  CHECK(RenderText(empty, At(0)).starts_with("NO NCCL OUTPUT  The input is empty.\n"));
}

TEST_CASE("the short answer keeps to its rows, whatever the report holds", "[report]") {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    for (const Report& report : {testing::FailureReport(), testing::HealthyReport(), testing::DegradedReport(),
                                 testing::NoNcclReport(), testing::LargeReport(4096), testing::LargeReport(64)}) {
      CHECK(Lines(RenderText(report, At(100, language))).size() <= kAnswerRows);
    }
    CHECK(Lines(RenderText(testing::UndeterminedReport(), At(100, language))).size() <= kUndeterminedRows);
  }
}

TEST_CASE("a divergence is quoted side by side, the same from another rank only named", "[report]") {
  Report report = testing::FailureReport();
  const auto watchdog = [](const char* file, const char* op) {
    return Evidence{"supporting", file, 33, std::string("WorkNCCL(SeqNum=39, OpType=") + op + ") ran out", "w", "", {}};
  };
  report.causes[0].evidence = {watchdog("logs/run1/rank0.log", "ALLREDUCE"),
                               watchdog("logs/run1/rank1.log", "ALLGATHER"),
                               watchdog("logs/run1/rank2.log", "ALLGATHER")};
  const std::string text = RenderText(report, At(100));
  CHECK(HasWords(text,
                 "Evidence, in logs/run1/\n  rank0.log:33  WorkNCCL(SeqNum=39, OpType=ALLREDUCE) ran out\n"
                 "  rank1.log:33  WorkNCCL(SeqNum=39, OpType=ALLGATHER) ran out\n    = also rank2.log:33\n"));
}

TEST_CASE("of a silence the last life signs are quoted", "[report]") {
  Report report = testing::FailureReport();
  report.outcome = Outcome::kHung;
  report.causes[0].evidence = {{"absent", "", 0, "", "silent", "rank 3 says nothing more", {}}};
  report.candidates.clear();
  report.timeline.clear();
  const std::string text = RenderText(report, At(100));
  CHECK(HasWords(
      text,
      "  missing: rank 3 says nothing more\n  rank3.log:103  NCCL INFO last words\n    = the last line of rank 3\n"
      "  rank0.log:100  NCCL INFO last words\n    = the last line of rank 0\n"));
}

TEST_CASE("a place is a link where the terminal follows links, and is never broken", "[report]") {
  RenderOptions options = At(40);
  options.link = [](const std::string& file, uint64_t line) {
    return "file:///w/" + file + "#" + std::to_string(line);
  };
  Report report = testing::FailureReport();
  CHECK(HasWords(RenderText(report, options), "\x1b]8;;file:///w/rank3.log#41\x1b\\rank3.log:41\x1b]8;;\x1b\\"));
  const std::string longer = "a-folder-with-a-name/that-is-longer-than-the-terminal-is-wide.log";
  report.causes[0].evidence[0].file = longer;
  CHECK(HasWords(RenderText(report, At(40)), "  " + longer + ":41\n    "));
}

TEST_CASE("undetermined lists candidates with what would tell", "[report]") {
  const std::string text = RenderText(testing::UndeterminedReport(), At(80));
  CHECK(HasWords(
      text,
      "What it could be\n  - A peer died (net.peer-died): its own log, or the kernel's of its host\n  $ dmesg -T\n"));
}

TEST_CASE("several jobs are one line each, the worst first", "[report]") {
  const std::string text = RenderText(testing::SeveralJobsReport(), At(100));
  CHECK(HasWords(
      text, "Jobs in these logs: 3\n  1. job 17: FAILURE, failed: /dev/shm is too small (shm.too-small), rank 3 on "));
  CHECK(HasWords(text, "\n  3. job 19: HEALTHY, succeeded: Nothing failed in these logs.\n"));
}

TEST_CASE("a degraded job is told what slowed it and how to mend that", "[report]") {
  const std::string text = RenderText(testing::DegradedReport(), At(100));
  CHECK(text.starts_with("DEGRADED  NCCL talks TCP between gpu-a16 and gpu-a17 although mlx5_0 is there."));
  CHECK(HasWords(text, "\n  Outcome: succeeded, 1,000 steps in 12 min: it says that it is done (rank0.log:120)\n"));
  CHECK(HasWords(text, "Fix: Let NCCL use the cards.\n  $ unset NCCL_IB_DISABLE\n"));
}

TEST_CASE("a hostile log moves no cursor, hides no text and starts no CI command", "[report]") {
  for (const int width : {0, 40, 80, 200}) {
    const std::string text = RenderText(testing::HostileReport(), At(width));
    CHECK_FALSE(HasWords(text, "\x1b"));
    CHECK_FALSE(HasWords(text, "\x07"));
    CHECK_FALSE(HasWords(text, testing::kBidi));
    CHECK_FALSE(HasWords(text, testing::kZeroWidth));
    CHECK_FALSE(HasWords(text, "##["));
    CHECK(SanitizeUtf8(text) == text);
    for (const std::string& line : Lines(text)) {
      const size_t first = line.find_first_not_of(' ');
      if (first == std::string::npos) continue;
      CAPTURE(width, line);
      CHECK(line.compare(first, 2, "::") != 0);
    }
  }
}

TEST_CASE("the summary is one line", "[report]") {
  CHECK(RenderSummary(testing::FailureReport(), {}) ==
        "failed, failure: shm.too-small (93%), rank 3 on gpu-a17, pid 4242, GPU 1: /dev/shm on gpu-a17 has no room for "
        "NCCL's segment of 33.0 MB. Now: fix first, a rerun would fail again.\n");
  CHECK(HasWords(RenderSummary(testing::SeveralJobsReport(), {}), " Jobs in these logs: 3.\n"));
  CHECK(RenderSummary(testing::HealthyReport(), {}) == "succeeded, healthy: Nothing failed in these logs.\n");
  CHECK(Lines(RenderSummary(testing::HostileReport(), {})).size() == 1);
}

}  // namespace
}  // namespace ncclwhy
