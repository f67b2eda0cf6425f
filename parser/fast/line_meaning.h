// LineMeaning: what all lines of one shape say, and which of their numbers say it:
//   AllReduce: opCount H sendbuff 0xH recvbuff 0xH count D datatype D op D root D comm 0xH [nranks=D] stream 0xH
//                      opCount                           count     datatype op     root       comm       nranks
// Found out by trial: the extractors are given such lines with other numbers, and what they make of them is compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parser/extract/extract.h"
#include "parser/facts_builder.h"
#include "parser/line_shape.h"
#include "parser/skeleton.h"

namespace ncclwhy {

// Kept with the shape (ShapeMemo::Entry) and changed by every line of it: values and places are those of the latest
// line.
struct LineMeaning {
  enum class Kind : uint8_t {
    kCounted,     // need only be counted
    kShown,       // are shown to the sink
    kNothing,     // is taken by the extractors, which make nothing of it
    kCollective,  // is folded into the stream of a communicator
  };
  // Where a value comes from.
  // `number`: which of the line's numbers, from 0. `negative`: the value is its negation, as a minus in front is no
  // part of a number (`root -1`).
  struct Source {
    int8_t number = -1;  // none: it is the same in all lines
    bool hex = false;
    bool negative = false;
  };
  // op count, elements, datatype, op, root, communicator, nranks.
  static constexpr size_t kCollectiveValues = 7;

  // Of quiet lines kNothing or kCollective, of all others kCounted or kShown.
  Kind kind = Kind::kCounted;
  int message = -1;  // counted or shown lines are recognised as this one
  // As parser/line_shape.h has it; rules remember by it.
  std::string shape;                           // of shown lines
  size_t most_digits = skeleton::kMostDigits;  // of a decimal number: more have not been tried
  std::array<Source, kCollectiveValues> sources;
  // A number that spells the same as before is not read again: most lines of a stream differ in op count alone.
  std::array<uint64_t, kCollectiveValues> values{};  // of the latest line
  // How they were spelled: the first eight bytes, of which the last ones may stand behind a short number, and of a
  // longer one the last eight, too.
  struct Spelling {
    uint64_t first = 0, last = 0;
    size_t size = 0;
  };
  std::array<Spelling, kCollectiveValues> spellings;
  // What is the same in all lines of the shape: the operation, and whether it is of a CALL line.
  FactsBuilder::Collective collective;

  // Of the latest line; who looks for lines keeps these.
  // From the beginning of the head on, if the memo keeps one.
  std::array<NumberPlace, skeleton::kMostNumbers> places;
  uint32_t count = 0;  // of its numbers
  // A bit for each number.
  uint32_t words = 0;  // those of shown lines that are of letters alone, which no number of a shape is

  // Puts what `line`, the latest one, says into the facts. `readable`: its body, behind whose numbers sixteen bytes can
  // be read.
  // Kinds other than kCollective say nothing. `process` is whose line it is. The stream of the call, whose latest line
  // is not noted yet (FactsBuilder::NoteLast); UINT32_MAX where there is none.
  uint32_t Tell(const char* readable, const ParsedLine& line, uint32_t process, FactsBuilder* out);
};

// Finds out what the quiet lines (ExtractQuiet) of this level and shape say. False: some are not quiet, or it is not
// known.
// Costs a dozen extractions, once in a process for each of the first shapes; thread-safe. Depends on nothing but level
// and shape, so every thread finds the same.
bool LearnQuiet(LogLevel level, std::string_view shape, LineMeaning* meaning);
// Whether extractors know no text of this level and shape, and make nothing of it.
bool IsNobodys(LogLevel level, std::string_view shape);
// Whether `family` is who knows all messages of this level and shape; null: nobody does.
// So that the family can be asked by itself next time (ExtractNcclAs).
bool IsFamilyOfShape(LogLevel level, std::string_view shape, ExtractFamily family);

}  // namespace ncclwhy
