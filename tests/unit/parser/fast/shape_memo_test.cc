#include "parser/fast/shape_memo.h"

#include <string>
#include <vector>

#include "catch.h"
#include "parser/fast/shape_prover.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

std::string ShapeOfText(std::string_view text) {
  std::string shape;
  REQUIRE(skeleton::Append(text, &shape));
  return shape;
}

// How many bytes of `text` a memo takes; 0: it is not known.
size_t Taken(const ShapeMemo& memo, LogLevel level, std::string text) {
  text.resize(2 * ShapeMemo::kReach, '.');
  ShapeMemo::Line line;
  return memo.Recall(level, text.data(), &line) ? line.size : 0;
}

TEST_CASE("words are compared, numbers are skipped", "[parser]") {
  ShapeMemo memo;
  memo.Keep(LogLevel::kNone, "sendProxyProgress:1188 NCCL TRACE ", ShapeOfText("sendProxy [3/4] request 0x7f00 done"),
            7, {"c10d"});
  memo.Keep(LogLevel::kInfo, "", ShapeOfText("7 of 8 channels are set up"), 8, {});
  const struct {
    LogLevel level;
    const char* text;
    bool known;
  } kCases[] = {
      {LogLevel::kNone,
       "36400.137000 sendProxyProgress:1188 NCCL TRACE sendProxy [3641/0] request 0x7f0000006b00 done\n", 1},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [123456789012345/0] request 0xF done\n", 1},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [1234567890123456/0] request 0xF done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [1/0] request 0x0123456789abcdef done\n", 1},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [1/0] request 0x0123456789abcdef0 done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1189 NCCL TRACE sendProxy [3/0] request 0xF done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/-1] request 0xF done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/] request 0xF done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/b] request 0xF done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request (nil) done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0x7fc10d00 done\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0x7fc10 done\n", 1},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0xF done, size 4\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0xF done\r\n", 0},
      {LogLevel::kNone, "0.1 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0xF don\n", 0},
      {LogLevel::kNone, "sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0xF done\n", 0},
      {LogLevel::kNone, ".5 sendProxyProgress:1188 NCCL TRACE sendProxy [3/1] request 0xF done\n", 0},
      {LogLevel::kNone, "0.1 7 of 8 channels are set up\n", 0},
      {LogLevel::kInfo, "7 of 16 channels are set up\n", 1},
      {LogLevel::kTrace, "7 of 16 channels are set up\n", 0},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK((Taken(memo, c.level, c.text) > 0) == c.known);
  }
}

TEST_CASE("a shape may begin another one", "[parser]") {
  ShapeMemo memo;
  memo.Keep(LogLevel::kInfo, "", ShapeOfText("channels 8"), 1, {});
  memo.Keep(LogLevel::kInfo, "", ShapeOfText("channels 8 of 9"), 2, {});
  memo.Keep(LogLevel::kInfo, "", ShapeOfText("channels 8 of"), 3, {});
  const std::string more(ShapeMemo::kReach, '.');
  for (const auto& [text, message] :
       {std::pair<std::string, int>{"channels 17\n", 1}, {"channels 1 of 2\n", 2}, {"channels 17 of\n", 3}}) {
    ShapeMemo::Line line;
    REQUIRE(memo.Recall(LogLevel::kInfo, (text + more).c_str(), &line));
    CHECK(line.message == message);
    CHECK(line.size == text.size() - 1);
  }
}

// A catalogue of one message, "queue … moved", and a sink that is asked about shapes.
class OneMessage : public MessageRecognizer {
 public:
  int Recognize(LogLevel, std::string_view body) const override {
    return body.find("queue") != std::string_view::npos ? 5 : -1;
  }
};
struct Counting : LineSink, ShapeProver {
  void OnLine(const ParsedLine&, uint32_t, int, SourceFacts&) override { ++shown; }
  bool OnlyCounts(LogLevel, std::string_view shape, int message, std::vector<std::string>* words) override {
    CHECK(message == 5);
    ++asked;
    last_asked = shape;
    words->push_back("c10d");
    return only_counts;
  }
  int MessageOf(LogLevel, std::string_view) override { return kDepends; }
  void Count(int message) override {
    CHECK(message == 5);
    ++counted;
  }
  int shown = 0, counted = 0, asked = 0;
  bool only_counts = true;
  std::string last_asked;
};

constexpr int kLines = 2000;

// Lines of one shape; `body` with a * for each number.
std::string Log(std::string_view body, bool trace = true) {
  std::string log;
  for (int i = 0; i < kLines; ++i) {
    log += "node3:4711:4790 [2] ";
    log += trace ? std::to_string(i) + ".137000 moveQueue:11 NCCL TRACE " : "NCCL INFO ";
    for (const char c : body) log += c == '*' ? std::to_string(i * 7919) : std::string(1, c);
    log += '\n';
  }
  return log;
}

SourceFacts Parse(const std::string& log, const MessageRecognizer& recognizer, Counting* sink) {
  Parser parser("test.log", &recognizer, sink, {}, sink);
  parser.Push(log);
  return parser.Finish();
}

TEST_CASE("a shape that says nothing is asked about once and then counted", "[parser]") {
  const OneMessage recognizer;
  for (const bool trace : {true, false}) {
    Counting sink;
    const SourceFacts f = Parse(Log("queue * moved to 0x*", trace), recognizer, &sink);
    CHECK(sink.asked == 1);
    CHECK(sink.last_asked == "queue \x01 moved to 0x\x02");
    CHECK(sink.counted > kLines * 9 / 10);
    CHECK(sink.counted + sink.shown == kLines);
    CHECK(f.counters.Get(Counter::kLines) == kLines);
    CHECK(f.counters.Get(Counter::kRecognised) == kLines);
    REQUIRE(f.processes.size() == 1);
    CHECK(f.processes[0].lines == kLines);
    CHECK(f.processes[0].last.line == kLines);
    const std::string number = std::to_string((kLines - 1) * 7919);
    CHECK(f.Str(f.processes[0].last.text) == "queue " + number + " moved to 0x" + number);
  }
}

TEST_CASE("a line whose number is somebody's word is shown", "[parser]") {
  const OneMessage recognizer;
  Counting sink;
  std::string log = Log("queue * moved to 0x*");
  log += "node3:4711:4790 [2] 1.137000 moveQueue:11 NCCL TRACE queue 1 moved to 0x7fc10d00\n";
  log += Log("queue * moved to 0x*");
  Counting without;
  Parse(Log("queue * moved to 0x*") + Log("queue * moved to 0x*"), recognizer, &without);
  Parse(log, recognizer, &sink);
  CHECK(sink.counted == without.counted);
  CHECK(sink.shown == without.shown + 1);
}

TEST_CASE("a shape that may say something is shown for ever", "[parser]") {
  struct Case {
    std::string body;
    bool only_counts = true;
  };
  for (const Case& c : std::vector<Case>{
           {"queue * moved", false},
           {"queue * &lt; *"},                      // an escape
           {"queue [rank*] * moved"},               // may be another program's record
           {"queue NCCL *"},                        // may be a second header
           {"queue * Call to recv from * failed"},  // an extractor knows it
           {"queue onnect to * <*> returned"},      // and so
           {"queue \t*"},                           // not plain
           {"queue * p* P*P"},                      // words with numbers: they differ
       }) {
    INFO(c.body);
    const OneMessage recognizer;
    Counting sink;
    sink.only_counts = c.only_counts;
    Parse(Log(c.body), recognizer, &sink);
    CHECK(sink.counted == 0);
    CHECK(sink.shown == kLines);
    CHECK(sink.asked <= 1);
  }
}

TEST_CASE("a number that an extractor may know is not skipped", "[parser]") {
  const OneMessage recognizer;
  Counting sink;
  std::string log;
  for (int i = 0; i < kLines; ++i) {
    log += "node3:4711:4790 [2] NCCL INFO " + std::to_string(i % 100) + " set to queue\n";
  }
  CHECK(Parse(log, recognizer, &sink).events.empty());
  CHECK(sink.counted == 0);
  const std::string name = "node3:4711:4790 [2] NCCL INFO 1234 set to queue\n";
  CHECK(Parse(log + name + log, recognizer, &sink).events.size() == 1);
}

TEST_CASE("hostile input asks a bounded number of questions", "[parser]") {
  const OneMessage recognizer;
  Counting sink;
  std::string log;
  for (int shape = 0; shape < 2000; ++shape) {
    for (int i = 0; i < 20; ++i) {
      log += "node3:4711:4790 [2] NCCL INFO queue w" + std::to_string(shape) + " " + std::to_string(i) + "\n";
    }
  }
  Parse(log, recognizer, &sink);
  CHECK(sink.asked <= 512);
  CHECK(sink.counted + sink.shown == 40000);
}

}  // namespace
}  // namespace ncclwhy
