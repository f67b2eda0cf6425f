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

}  // namespace ncclwhy
