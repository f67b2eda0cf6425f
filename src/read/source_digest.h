// SourceDigest: what one source yields. Mergeable: a job is a set of digests, in any order, whether they were made by
// other threads or on other machines.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "parser/facts.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

inline constexpr int kUnknownMessage = -1;

// A line whose catalogue meaning says more than "state": evidence where no rule speaks about it.
// `text` is in the strings of the source's facts, as are all texts of a digest.
struct CatalogHit {
  int message = -1;  // kUnknownMessage: a warning that no entry knows
  uint32_t line = 0;
  uint64_t offset = 0;
  uint32_t process = kNoProcess;
  int32_t launcher_rank = -1;
  uint32_t repeats = 0;  // further lines of this message and process (on the first kept hit)
  StringId text;
};

// `NCCL_IB_DISABLE=1` in a command line, an export, a manifest: what somebody asked for, not what NCCL echoed.
struct EnvMention {
  StringId variable;
  StringId value;  // empty text when none was given
  uint32_t line = 0;
  uint64_t offset = 0;
  StringId text;
};

// How often a message of the catalogue stands in a source, and where first. Lines that are folded into facts (edges,
// collectives) are not counted.
struct MessageCount {
  uint64_t count = 0;
  uint32_t line = 0;
  uint32_t process = kNoProcess;
  StringId text;
};

// A part of a source whose lines stand elsewhere: in one of several files (rotated_files.h), in one that has more than
// this source (headed_files.h), or in another order (newest_first.h).
struct SourcePart {
  std::string name;         // of the file
  uint64_t first_line = 1;  // where its lines begin in the source
  uint64_t line = 1;        // and in the file
  bool backwards = false;   // from there on upwards in the file
};

// Immutable once it is finished, but for its name (OrderByName) and for slices. Owns everything.
struct SourceDigest {
  SourceFacts facts;
  SourceHits hits;
  std::vector<CatalogHit> catalog;
  std::vector<EnvMention> mentions;
  std::map<int, MessageCount> messages;  // by catalogue number
  std::vector<SourcePart> parts;         // in order; empty when the source is one file
  bool encoded = false;                  // it begins as no text does (unread_text.h)
  // The file of digests that it came in (node_digest.h); empty when it was read itself. No part of what it says.
  std::string carrier;
};

// By name, and those of one name by what they say, so that neither threads nor the order of arguments show, nor which
// digests were merged before. What two carriers have of one source is one source.
// Linear but for names that come several times: these are encoded to be compared.
void SortSources(std::vector<SourceDigest>* digests);

// The same, and reports tell sources by their names, so these become unique: "rank0.log", "rank0.log (2)".
void OrderByName(std::vector<SourceDigest>* digests);

}  // namespace ncclwhy
