// Hit: one line matched one pattern of one rule (found while a source is read). Finding: a rule that fired, with its
// conditions checked over the whole job.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

// One matched line. Strings are ids of the pool of the SourceFacts of the same source. Beyond the limits of a pattern
// hits are counted, and the last one that is kept has a place and no text (`text` invalid).
//    node07:4711:4802 [3] transport/net_ib.cc:2107 NCCL WARN NET/IB: Got completion … status=12
//    → the pattern, its line, its process, the capture status=12
struct Hit {
  uint64_t offset = 0;
  uint32_t line = 0;
  uint32_t process = kNoProcess;
  uint32_t tid = 0;
  int32_t launcher_rank = -1;
  int32_t device = kNoDevice;
  uint32_t pattern = 0;  // global pattern number of the RuleSet (main patterns and conditions alike)
  uint32_t repeats = 0;  // further hits of this pattern and process that were only counted (on the last kept hit)
  LogLevel level = LogLevel::kNone;
  StringId text;                                        // the body, clipped
  StringId time;                                        // as printed in front of it, invalid where nothing is
  std::vector<std::pair<StringId, StringId>> captures;  // group name -> text
};

// Merges like SourceFacts: one per source.
// Immutable once the source is read.
struct SourceHits {
  std::vector<Hit> hits;  // in line order
};

// What a rule, a query or an entry of the catalogue says of the job. Owns its texts; findings of one rule and process
// are folded into one, with the lines counted in `repeats`.
// The currency between rules and analysis: what it proves (causes), of whom (process, rank, host) and where it is to be
// read.
struct Finding {
  RuleId rule;          // invalid for what the catalogue of messages says
  std::string message;  // then the id of the message's rule (analyze/message_rules.h)
  Role role = Role::kRoot;
  std::vector<Weight> causes;  // after boosts
  SourceId source;             // invalid for query rules without a line
  uint32_t line = 0;
  uint32_t last_line = 0;  // the last kept hit of a pattern in `source`
  uint64_t offset = 0;
  ProcessId process;
  bool anybodys = false;       // its line has no header of NCCL: a program, a kernel or a daemon may have written it
  bool in_passing = false;     // its line is one of NCCL's at INFO
  bool inferred = false;       // its line names no process: `process` is the only one that its source knows of
  int32_t rank = -1;           // in the job's largest communicator
  int32_t device = kNoDevice;  // CUDA ordinal in the header of its line
  std::string host;
  std::string text;                           // the evidence line
  std::string last_text;                      // of last_line; empty where that is the evidence line
  std::string time;                           // its stamp as printed; empty where it has none of its own
  uint64_t repeats = 0;                       // further lines like it
  std::map<std::string, std::string> fields;  // captures, columns, `fields` of the rule

  void Last(uint32_t at, std::string_view said) {
    last_line = at;
    if (at > line) last_text = said;
  }
  // Empty when there is none.
  std::string_view Field(const char* name) const {
    const auto it = fields.find(name);
    return it == fields.end() ? std::string_view() : std::string_view(it->second);
  }

  // The log-odds that it gives a cause; 0 where that is less than half of what it gives the one that it speaks most
  // for: a mere hint, of which its rule's words and fixes tell nothing.
  //    {"ib.retry-exceeded": 5, "net.unreachable": 1}     5 for the first, 0 for the second
  double SpeaksFor(std::string_view cause) const {
    double most = 0, here = 0;
    for (const Weight& weight : causes) {
      most = std::max(most, weight.log_odds);
      if (weight.cause == cause) here = std::max(here, weight.log_odds);
    }
    return here >= most / 2 ? here : 0;
  }
};

}  // namespace ncclwhy
