// Parser: bytes in, SourceFacts out. One parser per source; push chunks of any size, then finish. The result does not
// depend on where chunks end.
//
//   Parser parser("rank0.log", &catalogue, &matcher);
//   while (read(...)) parser.Push(chunk);
//   SourceFacts facts = parser.Finish();
//
// Not thread-safe; different parsers may run in different threads (recognizer and sink permitting).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parser/facts.h"
#include "parser/parsed_line.h"
#include "parser/recognizer.h"

namespace ncclwhy {

// Sees every record that may matter to rules, in order. Lines that the parser knows to be uneventful (channel lists,
// edges, collectives: see parser/README.md) are not shown.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // `facts` are the facts so far (for interning); `process` is the index into facts.processes or kNoProcess.
  // `message` is the catalogue index of an NCCL message, or -1.
  virtual void OnLine(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) = 0;
  // Whether OnLine would do nothing but count for each body of NCCL that has this shape (parser/text_shape.h) and is
  // this message, whatever its numbers are; but for texts with one of the `words`, which it may add, in a hexadecimal
  // number. Asked behind a line that was shown; where it is true, OnCounted may be called for further ones.
  virtual bool OnlyCounts(std::string_view /*shape*/, int /*message*/, std::vector<std::string>* /*words*/) {
    return false;
  }
  virtual void OnCounted(int /*message*/) {}
};

struct ParserOptions {
  bool keep_every_collective = false;  // --timeline full: a kCollective event for each COLL line
};

class Parser {
 public:
  // `recognizer` and `sink` are borrowed and may be null.
  Parser(std::string name, const MessageRecognizer* recognizer, LineSink* sink, ParserOptions options = {});
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  void Push(std::string_view chunk);
  SourceFacts Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy
