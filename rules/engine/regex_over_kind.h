// RegexOverKind: what a regex says of all lines of a kind at once. Lines that differ in their numbers alone come in
// storms, and most rules that look at one say no to each, in ways that no single word tells:
//   recvValue failed on SocketImpl(fd=D, addr=[gpu017]:D, remote=[D.D.D.D]:D): Connection reset by peer
//   (?:recv|send)(?:\([^()]*\))?(?:[:,]? [\w./:@\[\]>-]+){0,4}?[ ,:;.!(]+(?:with )?(?:errno )?(?P<exit_code>104)\b
// The expression is followed through the kind, at a number through all digits that may stand there. Where all ways end
// alike, it need not be asked again. Where they do not, the few numbers that decide are read in each line, and nothing
// else of it:
//   WorkNCCL(SeqNum=D, OpType=ALLREDUCE, NumelIn=D, NumelOut=D, Timeout(ms)=D) ran for D milliseconds before timing out
//   WorkNCCL\(.*Timeout\(ms\)=(?P<timeout_s>\d+)\d{3}\)       how long the fourth one is
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/line_shape.h"
#include "rules/engine/regex_nfa.h"

namespace ncclwhy {

// One for each regex and matcher: what it found on its ways it keeps. Bounded. Not thread-safe.
class RegexOverKind {
 public:
  explicit RegexOverKind(RegexNfa nfa);

  enum class Says : uint8_t { kDepends, kNo, kYes };
  // Of all lines with this shape (parser/skeleton.h). kDepends is always a right answer.
  Says OfShape(std::string_view shape);
  // Of all lines that are this one but for their digits.
  Says OfMasked(std::string_view masked);

  // Which numbers of a shape are read, by where the regex may be when so many of them are behind. One for each shape;
  // whoever has it keeps it.
  class Way {
    friend RegexOverKind;
    struct Jump {
      uint32_t from = 0;  // a place
      uint32_t to = 0;    // the place in front of the number that is read; at the end of the line kMatched or not
      uint32_t number = 0;
    };
    std::vector<std::vector<Jump>> by_number;
    uint32_t of = 0;  // what the places were numbered by
  };
  // Of one line with this shape and these numbers.
  Says OfLine(std::string_view shape, std::string_view body, std::span<const NumberPlace> numbers, Way* way);

 private:
  // Where the regex may be between two bytes of a line: the steps that are to be taken next, in their order, and what
  // the byte in front was.
  enum class Behind : uint8_t { kBegin, kWord, kOther };
  struct Place {
    Behind behind = Behind::kBegin;
    std::vector<uint16_t> steps;
    bool operator<(const Place& other) const {
      return behind != other.behind ? behind < other.behind : steps < other.steps;
    }
  };
  static constexpr uint32_t kMatched = 0;  // and stays so, whatever follows
  static constexpr uint32_t kUnknown = UINT32_MAX;
  static constexpr uint32_t kNoMatch = UINT32_MAX - 1;  // at the end of a line
  static constexpr uint32_t kEndOfLine = UINT32_MAX;    // in place of a number
  // Bounds of what is kept, and of the ways that are followed at once.
  static constexpr size_t kMostPlaces = 1024;
  static constexpr size_t kMostWays = 24;
  static constexpr size_t kMostJumps = 32;
  static constexpr uint64_t kMostWork = 2'000'000;

  // Places, ascending, each once.
  using Ways = std::vector<uint32_t>;
  // The place in front of a line. Forgets all places where there is no room for more.
  uint32_t Begin();
  // What it costs is more than it saves.
  bool IsLost() const { return work_ > kMostWork; }
  // False: there are too many.
  bool TakeOneOf(std::span<const unsigned char> bytes, const Ways& from, Ways* to);
  // From 1 to `most` of them.
  bool TakeNumber(char mark, Ways* ways);
  // From `place`, with so many numbers behind, to the next one that has to be read.
  Way::Jump JumpFrom(std::string_view shape, uint32_t numbers, uint32_t place);
  Says AtEnd(const Ways& ways);
  uint32_t Next(uint32_t place, unsigned char byte);
  uint32_t NumberOf(Place place);
  // Follows what takes no byte from all steps of `place`, and from the first one, as a match may begin anywhere. True:
  // a match ends here. Steps that take a byte are in reached_ then.
  bool Reach(const Place& place, bool word_ahead, bool end);
  // Of digits, those that no class tells apart once.
  std::vector<unsigned char> Different(std::string_view digits) const;

  const RegexNfa nfa_;
  const std::vector<unsigned char> decimal_, hex_;
  uint32_t forgotten_ = 1;  // so often everything was, and one
  uint64_t work_ = 0;       // steps that were looked at
  std::map<Place, uint32_t> numbers_;
  std::vector<const Place*> places_;  // by number
  std::vector<uint32_t> next_;        // by place and group of the byte
  std::vector<uint8_t> ends_;         // by place: 0 not known, 1 no match, 2 match at the end of the line
  std::vector<uint32_t> visited_;     // by step: the latest visit
  uint32_t visit_ = 0;
  std::vector<uint16_t> reached_, open_;
};

}  // namespace ncclwhy
