// FactsBuilder: the only writer of SourceFacts. Applies the limits and counts what it drops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "parser/coll_line_memo.h"
#include "parser/edge_line_memo.h"
#include "parser/facts.h"
#include "parser/hash.h"
#include "parser/latest_texts.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

class FactsBuilder;
class Renumbering;

// Adds fields to the event that was just begun; does nothing when the event was dropped at a limit.
class EventWriter {
 public:
  EventWriter(FactsBuilder* builder, bool kept) : builder_(builder), kept_(kept) {}
  bool kept() const { return kept_; }
  // Empty values are left out.
  EventWriter& Set(FieldId field, std::string_view value);
  EventWriter& Set(FieldId field, int64_t value);

 private:
  FactsBuilder* builder_;
  bool kept_;
};

class FactsBuilder {
 public:
  explicit FactsBuilder(SourceFacts* facts) : facts_(facts) {}
  // For a later segment of the source that `before` has facts of: notes collectives so that they can be joined to
  // those.
  FactsBuilder(const FactsBuilder& before, SourceFacts* facts)
      : facts_(facts), segment_(true), coll_lines_(before.coll_lines_.ForSegment()) {}

  SourceFacts& facts() { return *facts_; }
  // Bounded by limits::kPoolBytesPerSource; an invalid id when the text was not kept.
  StringId Intern(std::string_view text);
  StringId InternEvidence(std::string_view text);

  EventWriter Begin(EventKind kind, const ParsedLine& line, uint32_t process);

  struct Edge {
    int32_t from = -1;
    int32_t to = -1;
    char direction = ' ';
    std::string_view transport;
    std::string_view device;
    bool gdr = false;
    bool shared = false;
  };
  // `text`: all that the line says about the edge.
  void AddEdge(const Edge& edge, std::string_view text, const ParsedLine& line, uint32_t process);
  // The same for a text that an edge of `process` was added with. False: it is not known, nothing was done.
  bool RepeatEdge(std::string_view text, uint32_t process) { return edge_lines_.Count(process, text); }

  struct Collective {
    const CollectiveCall& call;
    uint64_t comm = 0;
    std::string_view comm_text;
    int64_t nranks = -1;
    bool from_call = false;  // an NCCL CALL line
  };
  // A stream keeps the kind of line it began with: with TRACE both are printed. `known`: where a line like this one was
  // put the last time, if there was one; updated.
  void AddCollective(const Collective& collective, const ParsedLine& line, uint32_t process, CollLine& known);
  // The same for a line that differs from an added one in nothing but the opCount, the buffers and its place. Not
  // before NoteLast is it the last one of its stream.
  void RepeatCollective(const CollLine& known, uint64_t op_count, uint32_t number) {
    if (streams_[known.stream].from_call != known.from_call) return;
    CollectiveStream& s = facts_->collectives[known.stream];
    if (known.nranks > 0) s.nranks = known.nranks;
    Issue(known.stream, s, known.call, op_count, number, known.step);
  }
  // `lasting` as in ParsedLine.
  void NoteLast(uint32_t stream, const TextPlace& place, bool lasting, bool from_call);
  CollLineMemo& coll_lines() { return coll_lines_; }
  // Lines whose `lasting` is true go away.
  void Settle() { last_texts_.Settle(); }
  // Puts the facts of the segment that follows behind those so far. Not its processes: `renumbering` knows them.
  void Join(FactsBuilder& segment, Renumbering& renumbering);
  void Finish();

 private:
  friend class EventWriter;
  struct StreamState {
    uint64_t comm = 0;
    uint32_t process = kNoProcess;
    bool from_call = false;
    std::vector<uint64_t> steps;  // of a segment: what its calls add to a digest whose beginning it does not know
  };

  // `said`: all but the opCount and the line. `step`: what it adds to the digest.
  void Issue(uint32_t stream, CollectiveStream& s, const CollectiveCall& said, uint64_t op_count, uint32_t number,
             uint64_t step) {
    static_assert(kCollectiveNames[6] == "Send" && kCollectiveNames[7] == "Recv");
    const bool p2p = said.operation == 6 || said.operation == 7;
    std::vector<CollectiveCall>& window = p2p ? s.p2p_window : s.window;
    uint64_t& calls = p2p ? s.p2p_calls : s.calls;
    const size_t at = static_cast<size_t>(calls % limits::kCollectiveWindow);
    ++calls;
    if (window.size() <= at) window.resize(at + 1);
    CollectiveCall& call = window[at];
    call = said;
    call.op_count = op_count;
    call.line = number;
    if (p2p) return;
    if (segment_) {
      streams_[stream].steps.push_back(step);
    } else {
      Digest(s, calls, step);
    }
  }
  // `calls`: with this one.
  static void Digest(CollectiveStream& s, uint64_t calls, uint64_t step) {
    s.hash = Mix64(s.hash ^ step);
    if ((calls & (s.interval - 1)) == 0) AddCheckpoint(s);  // a power of two
  }
  static void AddCheckpoint(CollectiveStream& s);
  // The stream of the calls on `comm`, or kEmpty when there is none yet.
  uint32_t FindStream(uint64_t comm, uint32_t process, bool from_call) const;
  uint32_t NewStream(const StreamState& stream, std::string_view comm_text, const LineRef& first);
  // Whether there is room for one more event.
  bool CountEvent(EventKind kind, uint32_t process);
  void JoinEvents(const SourceFacts& segment, Renumbering& renumbering);
  // The index of the edge, which has no channels when it is new; kEmpty when there is no room for it.
  uint32_t EdgeOf(const Edge& edge, uint32_t process);
  void SettleEdges();
  void JoinEdges(const SourceFacts& segment, Renumbering& renumbering);
  void JoinStream(const FactsBuilder& segment, uint32_t index, Renumbering& renumbering);

  SourceFacts* facts_;
  const bool segment_ = false;
  std::vector<uint32_t> kind_counts_;    // [process + 1][kind]
  std::vector<uint32_t> source_counts_;  // [kind]
  IndexTable edges_;
  IndexTable collectives_;
  std::vector<StreamState> streams_;   // beside facts_->collectives
  LatestTexts last_texts_;             // of these
  std::vector<uint32_t> comm_counts_;  // streams of each process
  EdgeLineMemo edge_lines_;
  CollLineMemo coll_lines_;
};

}  // namespace ncclwhy
