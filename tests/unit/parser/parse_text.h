// A text through the parser: its facts, and the lines that a sink is shown.
#pragma once

#include <string>
#include <vector>

#include "parser/parser.h"

namespace ncclwhy {

struct Seen {
  std::string text, body;
  Dialect dialect;
  uint32_t process;
  bool torn, first;
};

struct CollectLines : LineSink {
  std::vector<Seen> lines;
  void OnLine(const ParsedLine& l, uint32_t process, int, SourceFacts&) override {
    lines.push_back({std::string(l.text), std::string(l.body), l.dialect, process, l.torn, l.first_record});
  }
};

inline SourceFacts Parse(const std::string& input, LineSink* sink = nullptr, ParserOptions options = {}) {
  Parser parser("test.log", nullptr, sink, options);
  parser.Push(input);
  return parser.Finish();
}

inline uint64_t Count(const SourceFacts& f, Counter c) { return f.counters.Get(c); }

// One COLL line.
inline std::string Coll(const std::string& name, int count, const std::string& comm = "0x55") {
  return "node3:4711:4790 [2] NCCL INFO " + name + ": opCount 1 sendbuff 0x7f recvbuff 0x7f count " +
         std::to_string(count) + " datatype 7 op 0 root 0 comm " + comm + " [nranks=4] stream 0xf0\n";
}

}  // namespace ncclwhy
