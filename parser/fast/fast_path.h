// FastPath: the only door to what makes parsing faster and nothing else. What it takes, the plain path (LineParser)
// would have parsed to the same facts, byte for byte; a build with NCCLWHY_FAST_PATH=OFF has none (no_fast_path.cc),
// and tests/plain compares the two. See README.md for the machines behind it.
//
// One per parser; not thread-safe, but for the constructor from another one, which only reads that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "parser/extract/extract.h"
#include "parser/line_reader.h"
#include "parser/prefix.h"
#include "parser/recognizer.h"

namespace ncclwhy {

class LineSink;
class ProcessTable;
class ShapeProver;
struct SourceFacts;

class FastPath {
 public:
  // What the plain path writes to and asks. All is borrowed; `recognizer`, `sink` and `prover` may be null.
  struct PlainPath {
    SourceFacts* facts = nullptr;
    FactsBuilder* builder = nullptr;
    ProcessTable* processes = nullptr;
    const MessageRecognizer* recognizer = nullptr;
    LineSink* sink = nullptr;
    ShapeProver* prover = nullptr;
    bool keep_every_collective = false;
  };
  struct TakenLines {
    size_t bytes = 0;
    uint32_t lines = 0;
  };
  struct Judgement {
    Known known = Known::kNo;
    int message = -1;
  };
  struct WholeRecord {
    HeaderMatch match;
    uint32_t process = kNoProcess;
  };

  explicit FastPath(const PlainPath& plain);
  // For a later segment of the source: begins with what `before` has seen.
  FastPath(const FastPath& before, const PlainPath& plain);
  ~FastPath();

  // Takes the whole lines at the beginning of `text`, which stands at a line's beginning, that it knows at sight: facts
  // and counters have them. None is as good as some.
  TakenLines TakeLines(std::string_view text, uint64_t offset, uint32_t number);
  // Takes a record, the piece or what stands behind its prefix, that begins with a header seen before and is of a shape
  // seen before or folded into facts; all but the classes of its line is done then. kNo: nothing was done.
  enum class Taken : uint8_t { kNo, kRecognised, kUnrecognised };
  Taken TakeRecord(const LinePiece& piece, std::string_view text, const OuterPrefix& outer);
  // The header of a piece that begins with one seen before and is a single record with nothing to clean, or null; valid
  // until the next call.
  const WholeRecord* Recall(const LinePiece& piece);
  // Sets line->shape: whoever sees the line may remember by it what holds for all lines of that shape.
  void FindShape(ParsedLine* line);
  // What extractors and recognizer say of an NCCL message whose shape was looked for; what the former make of it is in
  // the facts then.
  Judgement Judge(const Extraction& x);
  // Notes the header that `text` begins with, and whose it is.
  void LearnHeader(std::string_view text, const HeaderMatch& match, uint32_t process);
  // Notes an NCCL message, the last of its line, of which no extractor knows anything and about which Judge was asked
  // last.
  void LearnMessage(const ParsedLine& line, int message);
  // Hands over what is counted but not yet in the facts: before these are joined or finished.
  void Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy
