// SegmentDigest: what is collected of a source, or of one segment of it (parser/segments.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "read/digest.h"
#include "read/shared_answers.h"

namespace ncclwhy {

class SegmentDigest {
 public:
  // Of the first segment. `rules`, `kb` and `answers` are borrowed; the latter may be null.
  SegmentDigest(std::string name, const RuleSet& rules, const KnowledgeBase& kb, const ParserOptions& options,
                SharedAnswers* answers = nullptr);
  ~SegmentDigest();
  SegmentDigest(const SegmentDigest&) = delete;
  SegmentDigest& operator=(const SegmentDigest&) = delete;

  void Push(std::string_view chunk);
  // The segment that begins at `offset`; see Parser::NewSegment and CanBeCut.
  std::unique_ptr<SegmentDigest> NewSegment(uint64_t offset) const;
  bool CanBeCut() const;
  // Puts a later segment behind what was collected so far; it is of no use any more.
  void Join(SegmentDigest& segment);
  SourceDigest Finish();

 private:
  class Sink;
  SegmentDigest(const SegmentDigest& before, uint64_t offset);

  const RuleSet& rules_;
  const KnowledgeBase& kb_;
  SharedAnswers* const answers_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ncclwhy
