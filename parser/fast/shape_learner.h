// ShapeLearner: finds the shapes of lines that need not be parsed. A shape that comes often is asked about once: what
// would extractors, recognizer and sink say of such a text, whatever its numbers are?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/patience.h"
#include "parser/fast/shape_memo.h"
#include "parser/fast/shape_prover.h"
#include "parser/line_shape.h"

namespace ncclwhy {

// Bounded in time: it asks kMostQuestions questions of a source. Not thread-safe. A later segment begins with the
// shapes that are known (the memo is copied), and with no candidates.
class ShapeLearner {
 public:
  // `prover` is borrowed; null: only what extractors take by themselves is learned.
  // The prover has to outlive it.
  explicit ShapeLearner(ShapeProver* prover) : prover_(prover) {}

  // Notes a record that ends its line, `head` between what is known of its header, of level `known`, and its body, and
  // who is known to take it: extractors by themselves (`quiet`), or nobody but the catalogue, as `message` (kNoMessage:
  // nobody). Keeps its shape in `memo` once that is sure of all.
  //    36400.137000 sendProxyProgress:1188 NCCL TRACE sendProxy [364/4] request 0x7f0000006b00 done
  // `line.body` begins behind the level here, `head` behind the milliseconds.
  void Note(LogLevel known, std::string_view head, const ParsedLine& line, bool quiet, int message, ShapeMemo* memo);

 private:
  // By hash; two shapes that share a slot push each other out and are learned later, or never.
  static constexpr size_t kSlots = 256;
  // A question costs as much as some dozens of lines, but extractors answer soon.
  // A source with fewer lines of a shape is parsed before the answer pays.
  static constexpr uint32_t kOften = 16;
  static constexpr uint32_t kOftenQuiet = 4;
  // Of a candidate's count.
  static constexpr uint32_t kAsked = UINT32_MAX;
  static constexpr size_t kMostQuestions = 512;

  // `hash` is of level, head and shape.
  struct Candidate {
    uint64_t hash = 0;
    uint32_t count = 0;  // kAsked: no need to ask again
  };

  // Asks extractors and prover about all lines of the shape; false: nothing holds for all of them.
  // Fills `words_` with what the prover wants to be looked for.
  bool Ask(LogLevel level, std::string_view shape, int message, LineMeaning* meaning);

  ShapeProver* prover_;
  // By hash modulo kSlots.
  std::array<Candidate, kSlots> candidates_;
  // Asked so far, whatever came of them.
  size_t questions_ = 0;
  Patience patience_;  // with lines whose shape is new
  LineShape shapes_;
  std::vector<std::string> words_;  // that no hexadecimal number of the shape may hold
};

}  // namespace ncclwhy
