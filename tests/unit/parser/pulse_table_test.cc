#include "parser/pulse_table.h"

#include <string>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

SourceFacts Parse(const std::string& text, uint64_t segment = limits::kSegmentBytes) {
  ParserOptions options;
  options.segment_bytes = segment;
  Parser parser("job.log", nullptr, nullptr, options);
  parser.Push(text);
  return parser.Finish();
}

std::string Steps(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "step=" + std::to_string(i) + "/40 loss=" + std::to_string(9 - i % 7) + "\n";
  return text;
}

TEST_CASE("lines that come back while a number grows are a pulse", "[pulse]") {
  const SourceFacts facts = Parse("starting up\n" + Steps(1, 40) + "done\n");
  REQUIRE(facts.pulses.size() == 1);
  const PulseFacts& p = facts.pulses[0];
  CHECK(p.last_value == 40);
  CHECK(p.total == 40);
  CHECK(p.beats.last == 41);
  CHECK(p.beats.After(41) == 0);
  CHECK(p.beats.After(38) >= 1);
  CHECK(p.beats.After(1) == p.beats.count);
  CHECK(facts.Str(p.name) == "step");
}

TEST_CASE("a bar that is redrawn beats, an epoch that begins anew too", "[pulse]") {
  std::string bar;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 1; i <= 10; ++i)
      bar += "\r " + std::to_string(i * 10) + "%|##  | " + std::to_string(i) + "/10 [00:0" + std::to_string(i % 10) +
             "<00:01,  3.4it/s]";
    bar += "\n";
  }
  const SourceFacts facts = Parse(bar);
  REQUIRE(!facts.pulses.empty());
  CHECK(facts.pulses[0].beats.last == 3);
  CHECK(facts.pulses[0].total == 10);
}

TEST_CASE("waiting, clocks, stacks and lists of ranks are no pulse", "[pulse]") {
  std::string text;
  for (int i = 1; i < 30; ++i) {
    const std::string n = std::to_string(i);
    text += "2025-03-01 12:00:" + std::string(i < 10 ? "0" : "") + n + " the server is up\n";
    text += "still waiting for collective 7 after " + n + " s\n";
    text += "frame #" + n + ": run + 0x" + n + "\n";
    text += "Thread 0x00007fa" + n + "0fd640 (most recent call first):\n";
    text += "rank " + n + " is here\n";
  }
  CHECK(Parse(text).pulses.empty());
}

TEST_CASE("a trail keeps few lines of many", "[pulse]") {
  LineTrail trail;
  for (uint32_t line = 1; line <= 100000; ++line) trail.Add(line);
  CHECK(trail.count == 100000);
  CHECK(trail.lines.size() <= limits::kTrailLines);
  CHECK(trail.After(50000) > 40000);
  CHECK(trail.After(50000) < 60000);
  CHECK(trail.After(100000) == 0);
}

TEST_CASE("kinds of lines are bounded, what beats stays", "[pulse][limits]") {
  std::string text = Steps(1, 20);
  for (int i = 0; i < 500; ++i)
    text += "word" + std::string(static_cast<size_t>(i % 26 + 1), static_cast<char>('a' + i % 26)) +
            std::string(static_cast<size_t>(i / 26 + 1), 'x') + " once\n";
  text += Steps(21, 40);
  const SourceFacts facts = Parse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].last_value == 40);
  CHECK(facts.pulses.size() <= limits::kPulsesKept);
}

}  // namespace
}  // namespace ncclwhy
