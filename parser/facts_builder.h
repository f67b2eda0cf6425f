// FactsBuilder: the only writer of SourceFacts. Applies the limits and counts what it drops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/limits.h"
#include "parser/facts.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

class FactsBuilder;
class SegmentTranslation;

// Adds fields to the event that was just begun; does nothing when the event was dropped at a limit.
class EventWriter {
 public:
  EventWriter(FactsBuilder* builder, bool kept) : builder_(builder), kept_(kept) {}
  // False: the event was dropped at a limit and counted as Counter::kDroppedEvents; what is set now goes nowhere. Who
  // would work for a value asks first.
  bool kept() const { return kept_; }
  // Empty values are left out; long ones are clipped at limits::kEvidenceText. The event is the latest one that was
  // begun: nothing else may be begun before all of its fields are set.
  EventWriter& Set(FieldId field, std::string_view value);
  EventWriter& Set(FieldId field, int64_t value);

 private:
  FactsBuilder* builder_;
  bool kept_;
};

// One for each source or segment; not thread-safe. `facts` is borrowed, and complete behind Finish.
class FactsBuilder {
 public:
  explicit FactsBuilder(SourceFacts* facts) : facts_(facts) {}
  // For a later segment of a source: notes collectives so that they can be joined to those in front of it.
  static FactsBuilder ForSegment(SourceFacts* facts) { return FactsBuilder(facts, true); }

  SourceFacts& facts() { return *facts_; }
  // Bounded by limits::kPoolBytesPerSource; an invalid id when the text was not kept, which is counted. A text that is
  // there already is found behind the limit as well.
  StringId Intern(std::string_view text);
  // The same, clipped at limits::kEvidenceText.
  StringId InternEvidence(std::string_view text);

  // An event of the line. How many there may be depends on the kind: 64 of most for a process, more of those that the
  // job model joins (communicators), eight of what is only shown.
  EventWriter Begin(EventKind kind, const ParsedLine& line, uint32_t process);

  // For the same pair of ranks and the same way each channel prints a line: dozens of them say one thing.
  // `Channel 00/0 : 2[0] -> 3[1] via P2P/CUMEM`: the channel is not part of the edge, it is counted.
  struct Edge {
    int32_t from = -1;
    int32_t to = -1;
    char direction = ' ';
    std::string_view transport;
    std::string_view device;
    bool gdr = false;
    bool shared = false;
  };
  // Folds a line into its edge, which keeps the first line's text. The limit is counted as Counter::kDroppedEvents.
  void AddEdge(const Edge& edge, const ParsedLine& line, uint32_t process);

  // One line of NCCL_DEBUG_SUBSYS=COLL, or of a TRACE build (`NCCL CALL ncclAllReduce(…)`). The views live as long as
  // the line.
  struct Collective {
    CollectiveCall call;
    uint64_t comm = 0;  // `comm_text` as a number: what streams are told apart by
    std::string_view comm_text;
    int64_t nranks = -1;
    bool from_call = false;  // an NCCL CALL line
  };
  // A stream keeps the kind of line it began with: with TRACE both are printed.
  void AddCollective(const Collective& collective, const ParsedLine& line, uint32_t process);
  // The same without NoteLast, which is left to the caller. The stream, or UINT32_MAX where the call is not counted.
  uint32_t AddCall(const Collective& collective, const ParsedLine& line, uint32_t process);

  // The edge that the latest AddEdge was about, so that lines that say the same again are counted without being parsed;
  // UINT32_MAX: none since it was forgotten.
  uint32_t folded_edge() const { return folded_edge_; }
  void ForgetFolded() { folded_edge_ = UINT32_MAX; }
  void RepeatEdge(uint32_t edge, uint32_t lines) { facts_->connections[edge].channels += lines; }
  // Notes where a stream was seen last; not for the other kind of line, whose calls are not counted.
  void NoteLast(uint32_t stream, const TextPlace& place, bool from_call);
  // Puts the facts of the segment that follows behind those so far. Not its processes: `in_source` knows them.
  void Join(const FactsBuilder& segment, SegmentTranslation& in_source);
  // Puts the last texts, which change with every line, into the pool: once for each stream, and not for each line.
  // Nothing is added any more.
  void Finish();

 private:
  friend class EventWriter;
  FactsBuilder(SourceFacts* facts, bool segment) : facts_(facts), segment_(segment) {}
  // What a stream is found by, and what is known of it beside its facts.
  struct StreamState {
    uint64_t comm = 0;
    uint32_t process = kNoProcess;
    bool from_call = false;
    std::string last_text;
    std::vector<uint64_t> steps;  // of a segment: what its calls add to a digest whose beginning it does not know
    uint64_t first_number = 0;    // of a segment: the opCount that it begins with, 0 where it begins with no collective
    // One more than the opCount of the call before, when that was a collective; UINT64_MAX: what follows is no gap.
    uint64_t next_number = UINT64_MAX;
  };

  // Puts a call at its place: into the ring, and into the digest, or into the steps of a segment.
  void Issue(StreamState& state, CollectiveStream& s, const CollectiveCall& call);
  // `calls`: with this one.
  static void Digest(CollectiveStream& s, uint64_t calls, uint64_t step) {
    s.hash = Mix64(s.hash ^ step);
    if ((calls & (s.interval - 1)) == 0) AddCheckpoint(s);  // a power of two
  }
  // Beyond limits::kCollectiveCheckpoints every second one goes and the interval doubles.
  static void AddCheckpoint(CollectiveStream& s);
  // The opCount of a communicator counts by one; a group's calls share it. One that passes over numbers tells of lines
  // that a collector dropped, or that were cut where another process wrote into them. The calls that follow keep their
  // places in the order.
  void Lose(StreamState& state, CollectiveStream& s, uint64_t calls) const;
  // The stream of the calls on `comm`, or kEmpty when there is none yet.
  uint32_t FindStream(uint64_t comm, uint32_t process, bool from_call);
  uint32_t NewStream(const StreamState& stream, std::string_view comm_text, const LineRef& first);
  // Whether there is room for one more event.
  bool CountEvent(EventKind kind, uint32_t process);
  void JoinEvents(const SourceFacts& segment, SegmentTranslation& in_source);
  // The index of the edge, which has no channels when it is new; kEmpty when there is no room for it.
  uint32_t EdgeOf(const Edge& edge, uint32_t process);
  void JoinEdges(const SourceFacts& segment, SegmentTranslation& in_source);
  void JoinStream(const FactsBuilder& segment, uint32_t index, SegmentTranslation& in_source);

  // Invariant: streams_[i] is of facts_->collectives[i]; edges_ and collectives_ hold indices into facts_, not copies.
  SourceFacts* facts_;
  const bool segment_ = false;
  // How many events there are, so that one chatty process leaves room for the others.
  std::vector<uint32_t> kind_counts_;    // [process + 1][kind]
  std::vector<uint32_t> source_counts_;  // [kind]
  IndexTable edges_;
  IndexTable collectives_;
  std::vector<StreamState> streams_;  // beside facts_->collectives
  struct OfProcess {
    uint32_t streams = 0;
    uint32_t latest = UINT32_MAX;  // most calls of a process are on the communicator of the call before
  };
  OfProcess& StreamsOf(uint32_t process) {
    const size_t slot = process == kNoProcess ? 0 : process + size_t{1};
    if (of_processes_.size() <= slot) of_processes_.resize(slot + 1);
    return of_processes_[slot];
  }
  std::vector<OfProcess> of_processes_;  // one further on than processes; in front what has none
  uint32_t folded_edge_ = UINT32_MAX;
};

}  // namespace ncclwhy
