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

struct LineMeaning {
  enum class Kind : uint8_t {
    kCounted,     // need only be counted
    kShown,       // are shown to the sink
    kNothing,     // is taken by the extractors, which make nothing of it
    kCollective,  // is folded into the stream of a communicator
  };
  // Where a value comes from.
  struct Source {
    int8_t number = -1;  // none: it is the same in all lines
    bool hex = false;
    bool negative = false;
  };
  static constexpr size_t kCollectiveValues = 7;

  Kind kind = Kind::kCounted;
  int message = -1;                            // counted or shown lines are recognised as this one
  std::string shape;                           // of shown lines
  size_t most_digits = skeleton::kMostDigits;  // of a decimal number: more have not been tried
  std::array<Source, kCollectiveValues> sources;
  std::array<uint64_t, kCollectiveValues> values{};           // of the latest line
  std::array<uint64_t, kCollectiveValues> words_of_values{};  // the first eight bytes that spell them
  FactsBuilder::Collective collective;

  // Of the latest line; who looks for lines keeps these.
  std::array<NumberPlace, skeleton::kMostNumbers> places;
  uint32_t count = 0;  // of its numbers
  uint32_t words = 0;  // those of shown lines that are of letters alone, which no number of a shape is

  // Puts what `line`, the latest one, says into the facts. `readable`: its body, behind whose numbers sixteen bytes can
  // be read.
  void Tell(const char* readable, const ParsedLine& line, uint32_t process, FactsBuilder* out);
};

// Finds out what the quiet lines (ExtractQuiet) of this level and shape say. False: some are not quiet, or it is not
// known.
bool LearnQuiet(LogLevel level, std::string_view shape, LineMeaning* meaning);
// Whether extractors know no text of this level and shape, and make nothing of it.
bool IsNobodys(LogLevel level, std::string_view shape);
// Whether `family` is who knows all messages of this level and shape; null: nobody does.
bool IsFamilyOfShape(LogLevel level, std::string_view shape, ExtractFamily family);

}  // namespace ncclwhy
