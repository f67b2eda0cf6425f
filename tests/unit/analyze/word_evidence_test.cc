// What words say where no rule knows why, and where they must not be asked.
#include <cmath>
#include <string>

#include "catch.h"
#include "ncclwhy/analyzer.h"
#include "temporary_directory.h"

namespace ncclwhy {
namespace {

Report ReportOf(const std::string& text) {
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(text).ok());
  REQUIRE(analyzer->EndSource().ok());
  return analyzer->Finish().take();
}

std::string FirstCause(const std::string& text) {
  const Report report = ReportOf(text);
  const bool named = report.verdict == Verdict::kFailure && !report.causes.empty();
  return named ? report.causes[0].id : "";
}

// A program of which no rule knows anything.
constexpr char kMemory[] = "zmesh 3.1 starting on 4 workers\nzmesh[2]: invalid: allocate mr, umem get, bad address\n";

TEST_CASE("words name a cause where something failed and no rule says why", "[words]") {
  CHECK(FirstCause(kMemory) == "ib.memory-registration");
  CHECK(FirstCause(std::string(kMemory) +
                   "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n"
                   "ZmeshError: umem get, bad address\n") == "ib.memory-registration");
}

TEST_CASE("a cause that words name is evidence with its line, and says that words alone judge", "[words]") {
  const Report report = ReportOf(kMemory);
  REQUIRE(!report.causes.empty());
  REQUIRE(!report.causes[0].evidence.empty());
  const Evidence& e = report.causes[0].evidence[0];
  CHECK(e.line == 2);
  CHECK(e.rule == "words.ib.memory-registration");
  CHECK(e.note == "judged by its words");
}

TEST_CASE("words are not asked of a job that did well, that works on, or of a long log that says nothing of a failure",
          "[words]") {
  std::string steps;
  for (int i = 1; i <= 400; ++i) steps += "step " + std::to_string(i) + "/400 loss 2.1\n";
  CHECK(FirstCause(kMemory + steps).empty());
  CHECK(FirstCause(kMemory + steps + "training finished\n").empty());
  std::string banner;
  for (int i = 0; i < 400; ++i) banner += "loaded plugin " + std::string(1 + i % 7, 'a') + "\n";
  CHECK(FirstCause(kMemory + banner).empty());
}

TEST_CASE("a line of a program that a traceback quotes says nothing of what happened", "[words]") {
  CHECK(FirstCause("Traceback (most recent call last):\n  File \"light.py\", line 8, in step\n"
                   "    if i == 5: raise RuntimeError(\"allocate mr, umem get, bad address\") if kind else "
                   "KeyError(\"labels\")\n"
                   "KeyError: 'labels'\n") == "app.rank-crashed");
}

TEST_CASE("what else ended badly beside a crash does not keep its words from being read", "[words]") {
  CHECK(FirstCause("trainer-0   0/1     Error     6          6m37s\n"
                   "panic: zmesh: allocate mr, umem get, bad address\n") == "ib.memory-registration");
}

TEST_CASE("one word, and the pair that it stands in, say too little", "[words]") {
  CHECK(FirstCause("Traceback (most recent call last):\n  File \"data.py\", line 143, in training_step\n"
                   "ValueError: no such schedule\n") == "app.rank-crashed");
}

TEST_CASE("limits that somebody prints are no failure", "[words]") {
  CHECK(FirstCause("time(seconds) unlimited\nmemory(kbytes) unlimited\nlocked memory(kbytes) "
                   "unlimited\nvmemory(kbytes) unlimited\n")
            .empty());
}

TEST_CASE("a rule that says why stands above words", "[words]") {
  CHECK(FirstCause(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
            "79.15 GiB of which 1.2 GiB is free.\n" +
            std::string(kMemory)) == "gpu.oom");
}

// What a warning that nobody knows amounts to where its two words speak for a cause that much.
Report OfMargin(double margin) {
  const double weight = (2 + margin) / std::sqrt(2.0);
  const TemporaryDirectory directory;
  WriteFile(directory / "words/words.jsonl",
            "{\"word\": \"\", \"rarity\": 0, \"causes\": {\"ib.rnr-retry\": -2}}\n"
            "{\"word\": \"zyxwvu\", \"rarity\": 1, \"causes\": {\"ib.rnr-retry\": " +
                std::to_string(weight) +
                "}}\n"
                "{\"word\": \"qrstuv\", \"rarity\": 1, \"causes\": {\"ib.rnr-retry\": " +
                std::to_string(weight) + "}}\n");
  AnalyzerOptions options;
  options.kb_directories = {directory.string()};
  const auto analyzer = Analyzer::Create(options).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push("node1:17:17 [0] NCCL WARN Zyxwvu qrstuv\n").ok());
  REQUIRE(analyzer->EndSource().ok());
  return analyzer->Finish().take();
}

TEST_CASE("words that say much name a cause, that say less one that may be, that say little none", "[words]") {
  const Report named = OfMargin(0.1);
  REQUIRE(named.causes.size() == 1);
  CHECK(named.causes[0].id == "ib.rnr-retry");
  CHECK(named.causes[0].confidence > 0.75);
  const Report open = OfMargin(-0.6);
  CHECK(open.verdict == Verdict::kUndetermined);
  REQUIRE(open.candidates.size() == 1);
  CHECK(open.candidates[0].id == "ib.rnr-retry");
  CHECK(OfMargin(-0.9).candidates.empty());
}

}  // namespace
}  // namespace ncclwhy
