// ComplaintList: what the programs of a source say that sounds wrong, each sentence once, in the order in which it came
// first:
//   ucx_ep.c:712  Error: cannot create endpoint for vertex 3
// Nobody here knows what it means. Lines whose digits alone are others are one sentence.
//
// One for each source; bounded by limits::kComplaints; does not depend on chunks or threads. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "parser/facts_builder.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

class SegmentTranslation;

// Equal for texts that are one sentence. A hash of kComplaintReach bytes with their digits masked: two sentences that
// share it would be told as one, which is what a limit does, too.
uint64_t SentenceOf(std::string_view text);

class ComplaintList {
 public:
  explicit ComplaintList(FactsBuilder* builder) : builder_(builder) {}

  // A line of a program, without its prefixes, and with its words: TellingWord::kComplaint says that it sounds so. A
  // line whose like came before may be left out. When limits::kComplaints are kept the first ones stay: what sounded
  // wrong first matters most.
  void Note(uint32_t process, const ParsedLine& line);
  // Puts what a later segment of the source wrote into its facts behind this.
  void Join(const SourceFacts& segment, SegmentTranslation& in_source);

 private:
  bool IsNew(std::string_view text);

  FactsBuilder* builder_;
  // By SentenceOf; of the whole source.
  std::unordered_set<uint64_t> said_;
};

}  // namespace ncclwhy
