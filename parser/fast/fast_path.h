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
class OpenLabel;
class OuterPrefixStripper;
class ProcessTable;
class ShapeProver;
struct SourceFacts;

// Who asks gets either an answer that the plain path would have come to, or none, and then does the work itself.
// Nothing depends on whether, or how often, it answers.
class FastPath {
 public:
  // What the plain path writes to and asks. All is borrowed; `recognizer`, `sink` and `prover` may be null.
  // All of one source, or of one segment of it; they must outlive the fast path.
  struct PlainPath {
    SourceFacts* facts = nullptr;
    FactsBuilder* builder = nullptr;
    ProcessTable* processes = nullptr;
    const MessageRecognizer* recognizer = nullptr;
    LineSink* sink = nullptr;
    ShapeProver* prover = nullptr;
    // Told of lines behind a launcher's label that they were not asked about.
    OuterPrefixStripper* stripper = nullptr;
    OpenLabel* open_label = nullptr;
    // Every call is kept as an event then (`--timeline full`), so lines of calls are not taken at sight.
    bool keep_every_collective = false;
  };
  // How far TakeLines came: bytes with their line ends.
  struct TakenLines {
    size_t bytes = 0;
    uint32_t lines = 0;
  };
  // `known`: what extractors say; `message`: what the recognizer says, -1 where it knows none or there is none.
  struct Judgement {
    Known known = Known::kNo;
    int message = -1;
  };
  // A header with its process: all that ParseHeader and ProcessTable would have found.
  struct WholeRecord {
    HeaderMatch match;
    uint32_t process = kNoProcess;
  };

  explicit FastPath(const PlainPath& plain);
  // For a later segment of the source: begins with what `before` has seen.
  // What this one needs is copied. Edges that were counted and not yet handed over stay with `before`.
  FastPath(const FastPath& before, const PlainPath& plain);
  ~FastPath();

  // Takes the whole lines at the beginning of `text`, which stands at a line's beginning, that it knows at sight: facts
  // and counters have them. None is as good as some.
  // `offset` and `number`: of its first byte and line in the source. Counters of lines and classes are kept here for
  // what is taken.
  TakenLines TakeLines(std::string_view text, uint64_t offset, uint32_t number);
  // Takes a record, the piece or what stands behind its prefix, that begins with a header seen before and is of a shape
  // seen before or folded into facts; all but the classes of its line is done then. kNo: nothing was done.
  // The two others say which class the line counts in.
  enum class Taken : uint8_t { kNo, kRecognised, kUnrecognised };
  // `text` is the piece, or what stands behind its launcher's prefix, which is told by `outer`:
  //    [1,3]<stdout>: node07:4711:4802 [3] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
  Taken TakeRecord(const LinePiece& piece, std::string_view text, const OuterPrefix& outer);
  // The header of a piece that begins with one seen before and is a single record with nothing to clean, or null; valid
  // until the next call.
  //    node07:4711:4802 [3] transport/net_ib.cc:2107 NCCL WARN NET/IB: Got completion from peer …
  // File, line and level are read here, as they differ from line to line; host, pid, thread and device are known.
  const WholeRecord* Recall(const LinePiece& piece);
  // Sets line->shape: whoever sees the line may remember by it what holds for all lines of that shape.
  // For warnings and aborts, and for all others once many texts were new; empty for all else, and where a text has
  // none. The line borrows from here: valid until the next call.
  void FindShape(ParsedLine* line);
  // What extractors and recognizer say of an NCCL message whose shape was looked for; what the former make of it is in
  // the facts then.
  // As ExtractNccl and the recognizer, but what was found out about the same text, or its shape, is not asked again.
  Judgement Judge(const Extraction& x);
  // Notes the header that `text` begins with, and whose it is.
  // `match` is what the parser made of it.
  void LearnHeader(std::string_view text, const HeaderMatch& match, uint32_t process);
  // Notes an NCCL message, the last of its line, of which no extractor knows anything and about which Judge was asked
  // last.
  void LearnMessage(const ParsedLine& line, int message);
  // Hands over what is counted but not yet in the facts: before these are joined or finished.
  // More lines may follow, and then it is called again.
  void Finish();

 private:
  struct Impl;
  // Not movable: whoever parses holds it where it is.
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy
