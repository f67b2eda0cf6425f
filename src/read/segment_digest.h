// SegmentDigest: what is collected of a source, or of one segment of it (parser/segments.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "parser/block_joiner.h"
#include "read/shared_answers.h"
#include "read/source_digest.h"
#include "read/witness.h"

namespace ncclwhy {

// One thread at a time. A later segment reads what the first one learned and shares nothing that changes, so each may
// be in a thread of its own.
class SegmentDigest {
 public:
  // Of the first segment.
  explicit SegmentDigest(const WitnessContext& context);
  ~SegmentDigest();
  SegmentDigest(const SegmentDigest&) = delete;
  SegmentDigest& operator=(const SegmentDigest&) = delete;

  // Chunks of any size, in order.
  void Push(std::string_view chunk);
  // All of the segment was pushed, of which others begin.
  void End();
  // The segment that begins at `offset`; see Parser::NewSegment and CanBeCut.
  std::unique_ptr<SegmentDigest> NewSegment(uint64_t offset) const;
  bool CanBeCut() const;
  // Puts a later segment behind what was collected so far; it is of no use any more.
  // In the order of the source; numbers of lines, processes and texts of `segment` become those of the source.
  void Join(SegmentDigest& segment);
  // Behind End.
  // Once.
  SourceDigest Finish();

 private:
  class Sink;
  SegmentDigest(const SegmentDigest& before, uint64_t offset);

  const RuleSet& rules_;
  const KnowledgeBase& kb_;
  SharedAnswers* const answers_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<Parser> parser_;
  std::unique_ptr<BlockJoiner> blocks_;  // of the first segment
};

}  // namespace ncclwhy
