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

#include "base/limits.h"
#include "parser/facts.h"
#include "parser/line_frame.h"
#include "parser/parsed_line.h"
#include "parser/recognizer.h"
#include "parser/segment_translation.h"

namespace ncclwhy {

// Speaks for recognizer and sink where only numbers differ: see parser/fast/shape_prover.h.
class ShapeProver;

// Sees every record that may matter to rules, in order. Lines that the parser knows to be uneventful (channel lists,
// edges, collectives: see parser/README.md) are not shown.
// Called in the thread that pushes to the parser. Must not keep views of the line: what is to stay is interned in
// `facts`, or copied.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // `facts` are the facts so far (for interning); `process` is the index into facts.processes or kNoProcess.
  // `message` is the catalogue index of an NCCL message, or -1.
  virtual void OnLine(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) = 0;
};

struct ParserOptions {
  bool keep_every_collective = false;  // --timeline full: a kCollective event for each COLL line
  // Of one segment (segments.h), for whoever cuts the source. At least 64: so much tells how the text is encoded.
  uint64_t segment_bytes = limits::kSegmentBytes;
  LineFrame frame = {};  // what the lines of the source stand in
};

class Parser {
 public:
  // All but the name is borrowed and may be null. `prover` (parser/fast/shape_prover.h) speaks for recognizer and sink;
  // with one, lines that differ in their numbers alone are parsed faster.
  // `name` is what reports call the source: rank0.log, or bundle.tar/rank0.log.
  Parser(std::string name, const MessageRecognizer* recognizer, LineSink* sink, const ParserOptions& options = {},
         ShapeProver* prover = nullptr);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Bytes as they are in the file, decompressed; any encoding that line_reader.h knows.
  void Push(std::string_view chunk);
  // The facts, complete. Once; nothing is called any more but the destructor.
  SourceFacts Finish();

  // Parsing in segments (segments.h), by several threads or one.
  // A parser for bytes of the same source that stand further back, at `offset`, and begin with a line. It starts from
  // what this one has learned. Safe while other threads call it, too, but not while this parser is pushed to.
  std::unique_ptr<Parser> NewSegment(uint64_t offset, LineSink* sink, ShapeProver* prover = nullptr) const;
  // False: the text is not made of lines of bytes (UTF-16), so it cannot be cut.
  bool CanBeCut() const;
  // Puts the facts of a segment that NewSegment made of this parser (or of one of its segments) behind those so far,
  // segments in order; nothing is pushed to this parser any more. How its numbers and texts read in `facts()`, which
  // the caller may want for what a sink has collected; the segment must live as long.
  SegmentTranslation Join(Parser& segment);
  // What is known so far, for a sink that interns texts; counts and last lines are complete behind Finish only.
  SourceFacts& facts();

 private:
  // Behind a pointer, so that who parses needs none of the headers of lines and prefixes.
  class Impl;
  explicit Parser(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy
