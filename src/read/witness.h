// Witness: what reads one kind of source and says what it states about the job. A log of NCCL is one; the error file
// that torchelastic leaves is another. How to add one: README.md in this folder.
//
//   begin (WitnessKind::begin) ── push, chunks of any size ── finish → SourceDigest
//
// Nothing behind a witness assumes that a fact is a line of text. What a fact (parser/facts.h) has, wherever it is
// from:
//   source    the digest it is in. Names of sources are unique in a job (OrderByName).
//   position  `line`, 1-based: the line, or where a source has none the number of the record it is from (the line of a
//             text inside a document, the entry of a ring buffer), in the order of the source. 0 says that there is no
//             position, as for what is absent. `offset`: where its line or record begins in the source, where that is
//             known. Positions are compared within one source, never between two.
//   text      the words to show a person, as the source has them: not a rendering of ours.
//   clock     Event::time, as printed by whoever wrote it; invalid when nobody did. Nothing is inferred here.
//   process   an entry of SourceFacts::processes, with what the source says of host, pid and rank.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kb/loader/kb.h"
#include "parser/parser.h"
#include "read/source_digest.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

class SharedAnswers;

// What every witness may use. All but the name is borrowed; `answers`, which may be null, is that of all sources of the
// thread.
struct WitnessContext {
  std::string name;  // of the source
  const RuleSet& rules;
  const KnowledgeBase& kb;
  ParserOptions options;
  SharedAnswers* answers = nullptr;
};

// One per source; used by one thread. The result does not depend on where chunks end. Never fails: what it cannot read
// is counted, and what turns out to be of another kind is handed to NewTextLog.
// Memory must be bounded, whatever the source holds.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual void Push(std::string_view chunk) = 0;
  // Once.
  virtual SourceDigest Finish() = 0;
  // Instead of Finish, for what may hold several sources (node_digest.h). Adds a sentence on what could not be read.
  virtual std::vector<SourceDigest> FinishAll(std::vector<std::string>* problems);
};

// A row of the sniffer table (witness_kinds.cc), the only list of witnesses.
// Rows are asked in their order; `known` must say no to a log that only resembles the kind.
struct WitnessKind {
  std::string_view name;
  std::string_view what;  // of the source, in a few words
  // Whether a source that begins like this is of this kind: its first kSniffedBytes, or all of it.
  bool (*known)(std::string_view first);
  std::unique_ptr<Witness> (*begin)(const WitnessContext& context);
};

// Enough to tell kinds apart, and little to hold back.
inline constexpr size_t kSniffedBytes = 4096;

// The kind of a source that begins like this. The last row takes every source, as a text log.
const WitnessKind& KindOf(std::string_view first);
// Whether it is that last row: such a source may be read in segments by several threads.
bool IsTextLog(std::string_view first);

}  // namespace ncclwhy
