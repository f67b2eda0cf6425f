// JobProfile: what is compared of a run. Owns its text; what differs between any two runs of the same job (pids,
// pointers, ports, times, names of hosts) is not part of what is compared.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/rank_words.h"
#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "read/digest.h"

namespace ncclwhy {

// Where a line stands.
struct LineAt {
  std::string file;
  uint64_t line = 0;  // 0: none
  std::string text;
};

// The values of one property over the ranks.
struct Spread {
  std::map<std::string, std::vector<RankRef>> values;
  std::map<std::string, LineAt> places;  // by value, where a line says so
};

struct ProfileMessage {
  LineAt first;
  uint64_t count = 0;
  std::vector<RankRef> ranks;  // that are known to have printed it; may be incomplete
  int weight = 0;              // how much it says about a failure, 0..100
};

// Of a run that printed its version and no more: at WARN nothing went wrong that would have been told.
inline constexpr std::string_view kWarnOrVersion = "WARN or VERSION";

struct JobProfile {
  int64_t nranks = -1;  // of the largest communicator
  int64_t hosts = 0;
  bool ready = false;                         // some rank completed initialisation
  std::string level;                          // of NCCL's lines: INFO and COLL, INFO, WARN …; empty without any
  bool echoes = false;                        // variables are echoed at all
  std::map<std::string, Spread> traits;       // by TraitName
  std::map<std::string, Spread> environment;  // by variable
  Spread stage;
  Spread calls;                 // collectives issued in the largest communicator
  std::vector<RankRef> silent;  // ranks without a log
  std::vector<RankRef> twice;   // ranks that two processes claim
  std::vector<std::string> shared_gpus;
  std::string divergence;  // the first call in which ranks disagree
  LineAt divergence_at;
  std::map<std::string, ProfileMessage> messages;  // by catalogue number or normalised text
};

JobProfile ProfileOf(const JobModel& model, const std::vector<SourceDigest>& digests, const KnowledgeBase& kb);

// `text` with hosts by order (host-1 …) and words that hold a digit as #: pids, pointers, ports, times, sizes.
std::string NormaliseText(std::string_view text, const std::vector<std::string>& hosts);

}  // namespace ncclwhy
