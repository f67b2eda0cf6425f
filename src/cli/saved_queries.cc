#include "cli/saved_queries.h"

#include <array>

namespace ncclwhy {

std::span<const SavedQuery> SavedQueries() {
  static constexpr std::array<SavedQuery, 5> kQueries = {{
      {"ranks", "each rank of each communicator: host, how far it came, its last line",
       "SELECT communicator, rank, host, pid, cuda_dev AS gpu, stage, seen, last_text FROM rank "
       "ORDER BY communicator, rank"},
      {"last-calls", "the last collective of each rank that the log tells",
       "SELECT communicator, rank, max(seq) AS seq, operation, count, datatype, source, line FROM collective "
       "GROUP BY communicator, rank ORDER BY communicator, rank"},
      {"env-diff", "variables that differ between ranks",
       "SELECT e.variable, e.value, count(*) AS ranks, min(e.rank) AS first_rank, min(e.host) AS first_host "
       "FROM environment e WHERE (SELECT count(DISTINCT o.value) FROM environment o WHERE o.variable = e.variable) > 1 "
       "GROUP BY e.variable, e.value ORDER BY e.variable, ranks DESC"},
      {"timeline", "the job's story: start, progress, alarms, what broke, what followed, the ending",
       "SELECT t.position, t.kind, t.time, t.rank, t.host, t.what, s.name AS source, t.line FROM step t "
       "LEFT JOIN source s ON s.id = t.source ORDER BY t.position"},
      {"findings", "what was found, in the order of the lines",
       "SELECT f.source, f.line, f.rank, f.host, f.role, f.cause, f.text FROM finding f WHERE f.line > 0 "
       "AND f.role <> 'context' ORDER BY f.source, f.line"},
  }};
  return kQueries;
}

}  // namespace ncclwhy
