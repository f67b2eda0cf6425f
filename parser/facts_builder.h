// FactsBuilder: the only writer of SourceFacts. Applies the limits and counts what it drops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parser/coll_tail_memo.h"
#include "parser/facts.h"
#include "parser/hash.h"
#include "parser/latest_texts.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

class FactsBuilder;

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
  void AddEdge(const Edge& edge, const ParsedLine& line, uint32_t process);

  struct Collective {
    const CollectiveCall& call;
    uint64_t comm = 0;
    std::string_view comm_text;
    int64_t nranks = -1;
    bool from_call = false;  // an NCCL CALL line
  };
  // A stream keeps the kind of line it began with: with TRACE both are printed. `stream`, or null: where a collective
  // with the same communicator was put the last time; updated.
  void AddCollective(const Collective& collective, const ParsedLine& line, uint32_t process, uint32_t* stream);
  CollTailMemo& coll_tails() { return coll_tails_; }
  // Lines whose `lasting` is true go away.
  void Settle() { last_texts_.Settle(); }
  void Finish();

 private:
  friend class EventWriter;
  struct StreamState {
    uint64_t comm = 0;
    uint32_t process = kNoProcess;
    bool from_call = false;
  };

  uint32_t NewStream(const Collective& collective, const ParsedLine& line, uint32_t process);

  SourceFacts* facts_;
  std::vector<uint32_t> kind_counts_;    // [process + 1][kind]
  std::vector<uint32_t> source_counts_;  // [kind]
  IndexTable edges_;
  IndexTable collectives_;
  std::vector<StreamState> streams_;   // beside facts_->collectives
  LatestTexts last_texts_;             // of these
  std::vector<uint32_t> comm_counts_;  // streams of each process
  uint32_t last_edge_ = IndexTable::kEmpty;
  uint32_t last_stream_ = IndexTable::kEmpty;
  CollTailMemo coll_tails_;
};

}  // namespace ncclwhy
