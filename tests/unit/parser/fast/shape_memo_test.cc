#include "parser/fast/shape_memo.h"

#include <string>
#include <vector>

#include "catch.h"
#include "parser/fast/shape_prover.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

void Keep(ShapeMemo* memo, LogLevel level, std::string_view head, std::string_view body, int message,
          const std::vector<std::string>& words = {}) {
  LineShape shapes;
  LineMeaning meaning;
  meaning.message = message;
  const std::string_view shape = shapes.Of(body);
  memo->Keep(level, head, body, shape, shapes.numbers(), meaning, words);
}

// How many bytes of `text` a memo takes; 0: it is not known.
size_t Taken(ShapeMemo* memo, LogLevel level, std::string text) {
  text.resize(2 * ShapeMemo::kReach, '.');
  ShapeMemo::Line line;
  return memo->Recall(level, text.data(), &line) ? line.size : 0;
}

TEST_CASE("words are compared, numbers are skipped", "[parser]") {
  ShapeMemo memo;
  Keep(&memo, LogLevel::kNone, "sendProxyProgress:1188 NCCL TRACE ", "sendProxy [3/4] request 0x7f00 done", 7,
       {"c10d"});
  Keep(&memo, LogLevel::kInfo, "", "7 of 8 channels are set up", 8);
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
    CHECK((Taken(&memo, c.level, c.text) > 0) == c.known);
  }
}

TEST_CASE("a shape may begin another one", "[parser]") {
  ShapeMemo memo;
  Keep(&memo, LogLevel::kInfo, "", "set up channels 8", 1);
  Keep(&memo, LogLevel::kInfo, "", "set up channels 8 of 9", 2);
  Keep(&memo, LogLevel::kInfo, "", "set up channels 8 of", 3);
  const std::string more(ShapeMemo::kReach, '.');
  for (const auto& [text, message] : {std::pair<std::string, int>{"set up channels 17\n", 1},
                                      {"set up channels 1 of 2\n", 2},
                                      {"set up channels 17 of\n", 3}}) {
    ShapeMemo::Line line;
    REQUIRE(memo.Recall(LogLevel::kInfo, (text + more).c_str(), &line));
    CHECK(line.meaning->message == message);
    CHECK(line.size == text.size() - 1);
  }
}

TEST_CASE("which numbers of a collective say what is found by trial", "[parser]") {
  LineShape shapes;
  LineMeaning meaning;
  const auto learn = [&](LogLevel level, std::string_view body) {
    return LearnQuiet(level, shapes.Of(body), &meaning);
  };
  const auto sources = [&] {
    std::vector<int> numbers;
    for (const LineMeaning::Source& source : meaning.sources) numbers.push_back(source.number);
    return numbers;
  };
  // opCount, count, datatype, op, root, comm, nranks
  CHECK(
      learn(LogLevel::kInfo,
            "AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f33 acc (nil) count 65536 datatype 7 op 0 root -1 comm "
            "0x55d3 [nranks=4] stream 0x5 task 0 globalrank 3"));
  CHECK(meaning.kind == LineMeaning::Kind::kCollective);
  CHECK(sources() == std::vector<int>{0, 3, 4, 5, 6, 7, 8});
  CHECK(meaning.sources[0].hex);
  CHECK(meaning.sources[4].negative);
  CHECK(learn(LogLevel::kCall, "ncclSend(7f32,7f33,65536,7,0,1,0x55d3,0x5)"));
  CHECK(sources() == std::vector<int>{-1, 2, 3, 4, 5, 6, -1});
  CHECK(learn(LogLevel::kInfo, "AllReduce: 33554432 Bytes -> Algo 1 proto 2 time 13.5"));
  CHECK(meaning.kind == LineMeaning::Kind::kNothing);
  CHECK(!learn(LogLevel::kInfo, "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"));
  CHECK(!learn(LogLevel::kInfo,
               "AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f33 count 65536 datatype 7 op 0 again"));
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
           {"queue * & *"},                         // may be an escape
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
