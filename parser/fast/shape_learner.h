// ShapeLearner: finds the shapes of lines that need nothing but to be counted. A shape that comes often is asked about
// once: would extractors, recognizer and sink ever say more about such a text, whatever its numbers are?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/extract/extract.h"
#include "parser/fast/shape_memo.h"
#include "parser/fast/shape_prover.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

// Whether `family` is who knows all messages of this level and shape (parser/line_shape.h); null: nobody does.
bool IsFamilyOfShape(LogLevel level, std::string_view shape, ExtractFamily family);

class ShapeLearner {
 public:
  // `prover` is borrowed; null: nothing is learned.
  explicit ShapeLearner(ShapeProver* prover) : prover_(prover) {}

  // Notes a whole record that stands behind a known header of this level (kNone: behind `host:pid:tid [dev] `), alone
  // in its line, and that no extractor knows. Keeps its shape in `memo` once that is sure.
  void Note(LogLevel known, size_t known_size, const ParsedLine& line, int message, ShapeMemo* memo);

 private:
  static constexpr size_t kSlots = 256;
  // A question costs as much as some dozens of lines.
  static constexpr uint32_t kOften = 16;
  static constexpr uint32_t kAsked = UINT32_MAX;
  static constexpr size_t kMostQuestions = 512;

  struct Candidate {
    uint64_t hash = 0;
    uint32_t count = 0;  // kAsked: no need to ask again
  };

  bool IsUneventful(LogLevel level, int message);

  ShapeProver* prover_;
  std::array<Candidate, kSlots> candidates_;
  size_t questions_ = 0;
  std::string shape_;               // of the body
  std::vector<std::string> words_;  // that no hexadecimal number of it may hold
};

}  // namespace ncclwhy
