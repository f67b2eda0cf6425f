// FactsBuilder: the only writer of SourceFacts. Applies the limits and counts what it drops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parser/facts.h"
#include "parser/hash.h"
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

  // `from_call`: an NCCL CALL line. A stream keeps the kind of line it began with: with TRACE both are printed.
  void AddCollective(const CollectiveCall& call, uint64_t comm, std::string_view comm_text, int64_t nranks,
                     bool from_call, const ParsedLine& line, uint32_t process);
  void Finish();

 private:
  friend class EventWriter;
  struct StreamState {
    uint64_t comm = 0;
    bool from_call = false;
    std::string last_text;
  };

  SourceFacts* facts_;
  std::vector<uint32_t> kind_counts_;    // [process + 1][kind]
  std::vector<uint32_t> source_counts_;  // [kind]
  IndexTable edges_;
  IndexTable collectives_;
  std::vector<StreamState> streams_;   // beside facts_->collectives
  std::vector<uint32_t> comm_counts_;  // streams of each process
  uint32_t last_stream_ = IndexTable::kEmpty;
};

}  // namespace ncclwhy
