#include "analyze/call_table.h"

#include <algorithm>
#include <map>

#include "job/collective_compare.h"

namespace ncclwhy {
namespace {

// Three calls in front and behind are enough to see a shift by one.
constexpr uint64_t kRowsAround = 3;
// More columns do not fit on a terminal.
constexpr size_t kColumns = 6;

}  // namespace

CallTable CallTableOf(const Communicator& communicator) {
  CallTable table;
  const Divergence& d = communicator.divergence;
  if (!d.found) return table;
  table.disagree = d.index;
  // Not below zero: the first call of all may be the one.
  table.first = d.index - std::min(d.index, kRowsAround);
  // Ranks with the same calls share a column.
  std::map<std::vector<std::string>, std::vector<int32_t>> columns;
  for (const Rank& r : communicator.ranks) {
    if (r.stream == nullptr) continue;
    std::vector<std::string> calls;
    for (uint64_t n = table.first; n <= d.index + kRowsAround; ++n) {
      const CollectiveCall* call = CallAt(*r.stream, n);
      calls.push_back(call == nullptr ? std::string() : DescribeCall(*call));
    }
    columns[std::move(calls)].push_back(r.rank);
  }
  for (auto& [calls, ranks] : columns) table.columns.push_back({std::move(ranks), calls});
  std::stable_sort(table.columns.begin(), table.columns.end(), [](const CallColumn& a, const CallColumn& b) {
    // Most ranks first: what the majority did is the measure.
    return std::pair(b.ranks.size(), a.ranks) < std::pair(a.ranks.size(), b.ranks);
  });
  if (table.columns.size() > kColumns) {
    // Those that disagree must not be cut: they are the few.
    const auto behind = table.columns.begin() + 1;
    // The largest one stays, and of the others the smallest.
    table.columns.erase(behind, table.columns.end() - (kColumns - 1));
  }
  if (table.columns.size() < 2) return {};
  // Rows that nobody has.
  const auto nobody = [&](size_t row) {
    return std::all_of(table.columns.begin(), table.columns.end(),
                       [&](const CallColumn& c) { return c.calls[row].empty(); });
  };
  while (nobody(table.columns[0].calls.size() - 1)) {
    for (CallColumn& c : table.columns) c.calls.pop_back();
  }
  while (nobody(0)) {
    for (CallColumn& c : table.columns) c.calls.erase(c.calls.begin());
    ++table.first;
  }
  return table;
}

}  // namespace ncclwhy
