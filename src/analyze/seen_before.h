// "Seen before": public incidents that look like this failure, and what solved them. They stand beside the answer; they
// name no cause and move none.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "analyze/describe_cause.h"
#include "analyze/rank_causes.h"
#include "kb/loader/kb.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

struct IncidentMatch {
  size_t incident = 0;  // of KnowledgeBase::Incident
  double told = 0;      // how much its lines tell that stand in the log, rare words more than common ones
  double best = 0;      // of that its most telling line
  double first = 0;     // of that its first line, the most specific one; 0 when it is not there
  bool open = false;    // nobody said what solved it: shown behind others that are as much alike
  double rank = std::numeric_limits<double>::infinity();  // bm25, the smaller the better
};

// The door to src/store, which implements it.
class IncidentSearch {
 public:
  virtual ~IncidentSearch() = default;
  // Best first; any text is fine. `causes`: ids to look among, empty: all. Empty also where nothing can be searched.
  virtual std::vector<IncidentMatch> Find(const std::vector<std::string>& lines,
                                          const std::vector<std::string>& causes) const = 0;
};

inline constexpr size_t kSeenBefore = 3;

// At most kSeenBefore incidents, most alike first. Of a failure: those of the cause that is named. Where none is named:
// those of causes for which something speaks, else those that look like a line of which no rule knows anything, if they
// agree on their cause. None where nothing failed, nor of a job that somebody stopped.
std::vector<SeenIncident> SeenBefore(const CaseFile& c, const Ranking& ranking, const Report& report,
                                     const IncidentSearch& search);

// The same of one line; `causes`: those that it points at, empty: nobody knows.
std::vector<SeenIncident> SeenBefore(const std::string& line, const std::vector<std::string>& causes,
                                     const KnowledgeBase& kb, const IncidentSearch& search, Language language);

}  // namespace ncclwhy
