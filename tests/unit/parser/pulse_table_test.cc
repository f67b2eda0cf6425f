#include "parser/pulse_table.h"

#include <string>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

SourceFacts ParsePulse(const std::string& text, uint64_t segment = limits::kSegmentBytes) {
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
  const SourceFacts facts = ParsePulse("starting up\n" + Steps(1, 40) + "done\n");
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

TEST_CASE("a pulse has the times of its first and last beat, wherever its lines have their stamp", "[pulse]") {
  // The second line is the first in which the number has grown.
  const auto times = [](const std::string& front, const std::string& behind) {
    std::string text;
    for (int i = 1; i <= 9; ++i) {
      const std::string n = std::to_string(i);
      text += front + n + behind + n + "/40, loss " + std::to_string(9 - i % 7) + "\n";
    }
    const SourceFacts facts = ParsePulse(text);
    REQUIRE(facts.pulses.size() == 1);
    return std::string(facts.Str(facts.pulses[0].first_time)) + " " + std::string(facts.Str(facts.pulses[0].last_time));
  };
  CHECK(times("{\"ts\": 179534579", ".551, \"level\": \"INFO\", \"step\": ") == "1795345792.551 1795345799.551");
  CHECK(times("{\"time\": \"2026-11-22T11:09:0", "Z\", \"step\": ") == "2026-11-22T11:09:02Z 2026-11-22T11:09:09Z");
  CHECK(times("{\"time\": 12.", ", \"step\": ") == " ");  // how long something took
  CHECK(times(" [2026-11-22 11:13:0", "] iteration ") == "2026-11-22 11:13:02 2026-11-22 11:13:09");
  CHECK(times("[2026-11-22 11:09:4", ",450][train_inner][INFO] - step ") ==
        "2026-11-22 11:09:42,450 2026-11-22 11:09:49,450");
}

// Of a line of 1,200 bytes more words are within reach where its numbers are short.
TEST_CASE("a long line of metrics is one kind however wide its numbers are", "[pulse]") {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    text += "step:" + std::to_string(i);
    for (int k = 0; k < 60; ++k) {
      const std::string width(static_cast<size_t>((i * 7 + k * 3) % 5), '7');
      text += " - critic/part_" + std::string(1, static_cast<char>('a' + k % 26)) + ":" + (k % 4 == i % 4 ? "-" : "") +
              width + "0.12" + width;
    }
    text += "\n";
  }
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.Str(facts.pulses[0].name) == "step");
  CHECK(facts.pulses[0].last_value == 5);
}

// tqdm draws its bar once more when the program ends: the count stands, its clock went on.
TEST_CASE("a bar that is drawn again is no work", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 9; ++i) {
    text += "Steps: 2%|x | " + std::to_string(i) + "/100 [1:00:0" + std::to_string(i) + "<46:35:27, 1.71s/it]\n";
  }
  const SourceFacts facts = ParsePulse(text + "out of memory\nSteps: 2%|x | 9/100 [1:02:30<51:04:52, 1.88s/it]\n");
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].beats.last == 9);
}

// Keras writes no line end behind its bar: the next message of the program stands in the same line.
TEST_CASE("a bar that only begins is no news", "[pulse]") {
  const SourceFacts facts = ParsePulse(Steps(1, 9) + "training is done\n  0%|          | 0/500 [00:00<?, ?image/s]\n");
  REQUIRE(facts.news.size() == 1);
  CHECK(facts.news[0].lines.last == 10);
}

TEST_CASE("what comes before the work has no end that is the work's", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 20; ++i) {
    text += "Running tokenizer on dataset (num_proc=8): " + std::to_string(i * 5) + "%|##  | " +
            std::to_string(i * 50) + "/1000 [00:0" + std::to_string(i % 10) + "<00:01, 4147.26 examples/s]\n";
  }
  for (const uint64_t segment : {limits::kSegmentBytes, uint64_t{256}}) {
    const SourceFacts facts = ParsePulse(text, segment);
    REQUIRE(facts.pulses.size() == 1);
    CHECK(facts.pulses[0].last_value == 1000);
    CHECK(facts.pulses[0].total == -1);
  }
}

TEST_CASE("a bar that a message is glued to is a beat, and the message is news", "[pulse]") {
  std::string text = "Epoch 1/3\n";
  for (int i = 1; i <= 8; ++i) {
    text += "  " + std::to_string(i) + "/10 [=====>..] - ETA: 0s 80ms/step - loss: 0.9" + std::to_string(i) + "\r";
  }
  const SourceFacts facts = ParsePulse(
      text +
      "  9/10 [=====>..] - ETA: 0s 80ms/step - loss: 0.99I1122 11:11:52.503438 30384 saver.py:103] saving now\n");
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].last_value == 9);
  CHECK(facts.pulses[0].total == 10);
  REQUIRE(facts.news.size() == 1);
  CHECK(facts.Str(facts.news[0].last).find("saving now") != std::string_view::npos);
  CHECK(facts.Str(facts.news[0].last).find("ETA") == std::string_view::npos);
}

TEST_CASE("the last line of a pulse of which nobody knows what it counts is kept", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 9; ++i) text += "  " + std::to_string(i * 1024) + "  float  sum  20.0\n";
  const SourceFacts facts = ParsePulse(text, 64);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.Str(facts.pulses[0].last.text).find("9216  float  sum") != std::string_view::npos);
  CHECK(!ParsePulse(Steps(1, 40)).pulses[0].last.text.valid());
}

TEST_CASE("the items of a list are no pulse", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 20; ++i) text += "  " + std::to_string(i) + ". Size: 126.00M\n     Allocation type: HLO temp\n";
  CHECK(ParsePulse(text).pulses.empty());
}

// A loss that wanders begins anew with each line: it must not push out where the steps did.
TEST_CASE("where the work began anew is known behind a number that wanders", "[pulse]") {
  std::string text;
  for (int run = 0; run < 2; ++run) {
    for (int i = 1; i <= 40; ++i) {
      text += "step=" + std::to_string(i) + "/40 loss=" + std::to_string(900 - 5 * i + (i % 2) * 30) + "\n";
    }
  }
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  REQUIRE(facts.pulses[0].peaks.size() == 1);
  CHECK(facts.pulses[0].peaks[0].line == 40);
}

// Columns are no frame around a service's name: each line would be of another process, and nothing would come back.
TEST_CASE("columns between bars beat", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 200; ++i) {
    text += " iteration " + std::to_string(i) + "/ 500 | elapsed time per iteration (ms): 19" + std::to_string(i % 10) +
            ".3 | learning rate: " + std::to_string(1 + i % 9) + "." + std::to_string(100 + i) +
            "E-04 | global batch size: 512 |\n";
  }
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].beats.count == 199);
  CHECK(facts.pulses[0].total == 500);
  CHECK(facts.processes.size() <= 1);
}

TEST_CASE("names of hosts and addresses are no work; a program may stamp its lines as dmesg does", "[pulse]") {
  std::string heads, stamped, addresses;
  for (int i = 10; i < 30; ++i) {
    heads += "===== gpu-b" + std::to_string(i) + " =====\n";
    stamped += "[Tue Feb 18 02:13:" + std::to_string(i) + " 2025] step " + std::to_string(i) + "/30 loss 2.1\n";
  }
  for (int i = 10; i < 30; ++i) addresses += "Node: gpu/192.168.40." + std::to_string(i) + "\n";
  CHECK(ParsePulse(addresses).pulses.empty());
  CHECK(ParsePulse(heads).pulses.empty());
  CHECK(ParsePulse(stamped).pulses.size() == 1);
}

TEST_CASE("a bar that is redrawn beats, an epoch that begins anew too", "[pulse]") {
  std::string bar;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 1; i <= 10; ++i)
      bar += "\r " + std::to_string(i * 10) + "%|##  | " + std::to_string(i) + "/10 [00:0" + std::to_string(i % 10) +
             "<00:01,  3.4it/s]";
    bar += "\n";
  }
  const SourceFacts facts = ParsePulse(bar);
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
    text += " 581: #" + n + "  0x7fffe5ae841" + std::to_string(i % 10) + " in ???\n";
    text += "#" + n + " solve () at solver.f90:12\n";
    text += "Thread 0x00007fa" + n + "0fd640 (most recent call first):\n";
    text += "rank " + n + " is here\n";
  }
  CHECK(ParsePulse(text).pulses.empty());
}

TEST_CASE("a number behind # counts where a word names it", "[pulse]") {
  std::string text;
  for (int i = 1; i < 30; ++i) text += "finished batch #" + std::to_string(i) + " of this epoch\n";
  CHECK(ParsePulse(text).pulses.size() == 1);
}

TEST_CASE("a number alone numbers what follows, one with a sign of its own beats", "[pulse]") {
  std::string list, percent;
  for (int i = 1; i <= 9; ++i) {
    list += "[" + std::to_string(i) + "]:\n  error_file: <N/A>\n";
    percent += std::to_string(i * 10) + "%\n";
  }
  CHECK(ParsePulse(list).pulses.empty());
  CHECK(ParsePulse(percent).pulses.size() == 1);
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
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].last_value == 40);
  CHECK(facts.pulses.size() <= limits::kPulsesKept);
}

// A kind of line of its own for each number below 676; its only number never grows.
std::string Kind(size_t number) {
  return std::string("note ") + static_cast<char>('a' + number / 26) + static_cast<char>('a' + number % 26) +
         " is 1 here\n";
}

TEST_CASE("numbers of other widths at other places are read where they stand", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 300; ++i) {
    const std::string n = std::to_string(i * 37);
    text += "rate " + std::to_string(i % 13 * 91) + ".5 step " + n + "/11100 of 0x" + n + " 1x" + n + "\n";
  }
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].last_value == 11100);
  CHECK(facts.pulses[0].total == 11100);
  CHECK(facts.pulses[0].first_value == 37);
}

TEST_CASE("a number beside that never changes says of how many", "[pulse]") {
  const auto total = [](const std::string& before, const std::string& behind) {
    std::string text;
    for (int i = 1; i <= 20; ++i) text += before + std::to_string(i) + behind + "\n";
    const SourceFacts facts = ParsePulse(text);
    REQUIRE(facts.pulses.size() == 1);
    return facts.pulses[0].total;
  };
  CHECK(total("{\"level\": \"INFO\", \"step\": ", ", \"max_steps\": 50, \"loss\": 7.1}") == 50);
  CHECK(total("iter ", " train_iters 400 loss 2") == 400);
  CHECK(total("step=", " max_epochs=40") == -1);  // of something else
  CHECK(total("step=", " max_steps=10") == -1);   // it went beyond
  CHECK(total("step=", " max_tokens=900") == -1);
}

TEST_CASE("a number of more than eight digits is read whole", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 100; ++i) text += "samples " + std::to_string(123456780000 / 1000 + i) + " seen\n";
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].last_value == 123456880);
}

TEST_CASE("a loss is no work, a step that grows beside it is", "[pulse]") {
  std::string text;
  for (int i = 1; i <= 200; ++i)
    text += "loss 0." + std::to_string(100 + i * 7919 % 800) + " at " + std::to_string(i / 4) + "\n";
  const SourceFacts facts = ParsePulse(text);
  REQUIRE(facts.pulses.size() == 1);
  CHECK(facts.pulses[0].last_value == 50);
  CHECK(facts.pulses[0].beats.count < 120);  // of them a few in which the loss was the largest so far
}

// Of many new things few are read, but the last ones are.
TEST_CASE("what was said last is known in a flood of words", "[pulse]") {
  std::string text;
  const auto word = [](size_t i) { return std::string(1, static_cast<char>('a' + i % 26)); };
  for (size_t i = 0; i < 3000; ++i) text += "say " + word(i) + word(i / 26) + word(i / 676) + "\n";
  for (const std::string end : {"", "not ready\n", "failed to say it\ngiving up: error\n"}) {
    const SourceFacts facts = ParsePulse(text + end);
    REQUIRE(facts.news.size() == 1);
    CHECK(facts.news[0].lines.last == 3000);
    CHECK(facts.news[0].lines.count >= 3000);
  }
}

TEST_CASE("a pulse is seen among as many kinds of lines as are watched, limits::kPulsesPerStream", "[pulse]") {
  const auto pulses = [](size_t others) {
    std::string text;
    for (int step = 1; step <= 20; ++step) {
      text += "step=" + std::to_string(step) + "\n";
      for (size_t k = 0; k < others; ++k) text += Kind(k);
    }
    return ParsePulse(text).pulses.size();
  };
  CHECK(pulses(limits::kPulsesPerStream - 1) == 1);
  CHECK(pulses(limits::kPulsesPerStream) == 0);
}

TEST_CASE("the number that grows is one of the first limits::kPulseNumbers of its line", "[pulse]") {
  const auto pulses = [](size_t before) {
    std::string text;
    for (int step = 1; step <= 20; ++step) {
      for (size_t k = 0; k < before; ++k) text += "7 apples ";
      text += "step " + std::to_string(step) + "\n";
    }
    return ParsePulse(text).pulses.size();
  };
  CHECK(pulses(limits::kPulseNumbers - 1) == 1);
  CHECK(pulses(limits::kPulseNumbers) == 0);
}

TEST_CASE("beyond limits::kPulsesPerSource a further stream has one kind of line", "[pulse]") {
  const auto beats = [](size_t streams) {
    std::string text;
    for (size_t s = 1; s <= streams; ++s) {
      for (size_t k = 0; k < limits::kPulsesPerStream; ++k) {
        text += "[1," + std::to_string(s) + "]<stdout>:" + Kind(k);
      }
    }
    for (int step = 1; step <= 20; ++step) {
      text += "[1,0]<stdout>:step=" + std::to_string(step) + "\n[1,0]<stdout>:" + Kind(0);
    }
    return ParsePulse(text).pulses.size();
  };
  constexpr size_t kFull = limits::kPulsesPerSource / limits::kPulsesPerStream;
  CHECK(beats(kFull - 1) == 1);
  CHECK(beats(kFull) == 0);
}

// What a failed test compares is no work.
TEST_CASE("a number that is only ever nought or one is no pulse", "[pulse]") {
  std::string text;
  for (int i = 0; i < 8; ++i) text += "    Which is: 1\n  ncclSuccess\n    Which is: 0\n";
  CHECK(ParsePulse(text).pulses.empty());
}

}  // namespace
}  // namespace ncclwhy
