#include "job/silence.h"

#include <fmt/format.h>

#include <string>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

// Twenty steps from 10:00:00 on, one in five seconds, then lines of `behind` every minute.
std::string Log(int monitored, const std::string& behind, const std::string& between = "") {
  std::string text;
  for (int i = 1; i <= 20; ++i) {
    text += fmt::format("10:{:02}:{:02}.000 I step {} loss 2.{}\n", i * 5 / 60, i * 5 % 60, i, 90 - i);
  }
  text += between;
  for (int i = 0; i < monitored; ++i) {
    text += fmt::format("{:02}:{:02}:00.186 {}{}\n", 10 + (i + 3) / 60, (i + 3) % 60, behind, 80 + i * 7 % 5);
  }
  return text;
}

bool IsSilent(const std::string& text) {
  Parser parser("job.log", nullptr, nullptr);
  parser.Push(text);
  const SourceFacts facts = parser.Finish();
  return SilentWork(BuildJobModel({&facts})).has_value();
}

TEST_CASE("work that stands still while others go on to repeat themselves", "[silence]") {
  CHECK(IsSilent(Log(60, "D alive node07 load=")));
  SECTION("not within ten minutes") { CHECK_FALSE(IsSilent(Log(6, "D alive node07 load="))); }
  SECTION("not where the log just ends") { CHECK_FALSE(IsSilent(Log(0, ""))); }
  SECTION("not of a server that nobody asks anything") { CHECK_FALSE(IsSilent(Log(60, "I GET /healthz 2"))); }
  SECTION("not where new things were said since") {
    CHECK_FALSE(IsSilent(Log(
        60, "D alive node07 load=", "evaluating on the validation set\nbleu is better\nweights are at /ckpt/final\n")));
  }
}

// Somebody enters a rendezvous in line 2, and a monitor goes on behind it, a line in two minutes.
bool HangsAtTheStart(int monitored, const std::string& behind = "", const char* between = "") {
  std::string text = "10:00:00 launcher starts\n10:00:04 Rendezvous'ing worker group\n";
  text += between;
  for (int i = 1; i <= monitored; ++i) {
    text += fmt::format("n3 telemetry {:02}:{:02}:00 gpu_util=0,0,0,0 power=71W\n", 10 + i * 2 / 60, i * 2 % 60);
  }
  text += behind;
  Parser parser("job.log", nullptr, nullptr);
  parser.Push(text);
  const SourceFacts facts = parser.Finish();
  LifeSign sign;
  sign.life = Life::kEntering;
  sign.source = SourceId{0};
  sign.line = 2;
  sign.time = "10:00:04";
  return SilentStart(BuildJobModel({&facts}), {sign}) != nullptr;
}

TEST_CASE("a job that entered its rendezvous and said nothing more", "[silence]") {
  CHECK(HangsAtTheStart(20));
  CHECK_FALSE(HangsAtTheStart(3));  // not ten minutes
  CHECK_FALSE(HangsAtTheStart(0));
  std::string work, news;
  for (int i = 1; i <= 20; ++i) work += fmt::format("step {}/900 loss 2.{}\n", i, 90 - i);
  for (const char* word : {"mesh is built", "reading shards", "tokenizer loaded", "model on device", "optimizer made",
                           "compiling kernels", "graph captured", "cache is warm", "queue is open"}) {
    news += fmt::format("10:50:00 {}\n", word);
  }
  CHECK_FALSE(HangsAtTheStart(20, work));
  CHECK_FALSE(HangsAtTheStart(20, news));
}

TEST_CASE("stamps of one output, with and without a date", "[silence]") {
  CHECK(TimeBetween("10:00:00", "10:01:40").value_or(0) == Approx(100));
  CHECK(TimeBetween("23:59:00.000", "00:01:00.000").value_or(0) == Approx(120));
  CHECK(TimeBetween("2026-11-26 07:18:11", "07:19:51").value_or(0) == Approx(100));
  CHECK_FALSE(TimeBetween("10:00:00", "").has_value());
}

}  // namespace
}  // namespace ncclwhy
