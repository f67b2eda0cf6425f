#include "report/end_of_log.h"

#include <algorithm>

namespace ncclwhy {

std::vector<Proof> EndOfLog(const Report& report) {
  std::vector<Proof> out;
  if (report.coverage.lines <= kQuoteLines) return out;
  for (const LastWord& word : report.last_words) out.push_back({word.file, word.line, word.text, {}, 1, {}});
  const bool open = report.verdict == Verdict::kHealthy && report.outcome == Outcome::kUnknown;
  if (!out.empty() || !open || report.job.communicators.empty()) return out;
  const std::vector<ReportRank>& ranks = report.job.communicators.front().ranks;
  const auto last = std::max_element(
      ranks.begin(), ranks.end(), [](const ReportRank& a, const ReportRank& b) { return a.last_line < b.last_line; });
  const bool one = std::all_of(ranks.begin(), ranks.end(),
                               [&](const ReportRank& r) { return r.file.empty() || r.file == last->file; });
  if (last == ranks.end() || last->last_line == 0 || !one) return out;
  out.push_back({last->file, last->last_line, last->last_text, {}, 1, {}});
  return out;
}

}  // namespace ncclwhy
