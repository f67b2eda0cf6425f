// SegmentTranslation: how the numbers of a segment of a source read in the source itself. A segment counts lines,
// processes and texts from its own beginning; see segments.h.
#pragma once

#include <cstdint>
#include <vector>

#include "parser/facts.h"

namespace ncclwhy {

class FactsBuilder;

// Not thread-safe; made by whoever joins, and used by the sinks' facts as well (src/read). Lives as long as both the
// segment and the source's parser.
class SegmentTranslation {
 public:
  // `lines`: those in front of the segment. `from` are its facts; `into` writes those of the source. Both are borrowed.
  SegmentTranslation(uint32_t lines, const SourceFacts& from, FactsBuilder* into)
      : lines_(lines), from_(from), into_(into) {}

  // 0 stays 0: no line.
  uint32_t Line(uint32_t number) const { return number == 0 ? 0 : number + lines_; }
  // kNoProcess for a process that was dropped at a limit of the source.
  uint32_t Process(uint32_t process) const { return process < processes_.size() ? processes_[process] : kNoProcess; }
  void SetProcess(uint32_t process, uint32_t is) {
    if (processes_.size() <= process) processes_.resize(process + size_t{1}, kNoProcess);
    processes_[process] = is;
  }
  // Interned at the first time of asking. Invalid where the text was not kept: the source has its own limit.
  StringId Text(StringId id);
  LineRef Ref(const LineRef& ref) { return {Line(ref.line), ref.offset, Text(ref.text)}; }

 private:
  uint32_t lines_;
  const SourceFacts& from_;
  FactsBuilder* into_;
  std::vector<uint32_t> processes_;
  std::vector<StringId> texts_;
};

}  // namespace ncclwhy
