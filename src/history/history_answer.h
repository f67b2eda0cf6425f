// What a history answers, as a table, as JSON and as Prometheus text.
//
// Names in it come from logs: every printer escapes them for its own format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"

namespace ncclwhy {

struct HistoryQuestion {
  int64_t since = 0;     // only jobs that ended then or later; seconds since 1970
  int64_t top = 50;      // rows at most
  int64_t least = 2;     // blamed in at least so many jobs to be drained
  double chance = 0.01;  // drained below this, after the correction for many hosts
};

// hosts, devices, switches, versions, causes, drain: what `AnswerHistory` knows.
std::vector<std::string> HistoryQuestions();

// `json`: "ncclwhy.history/1". Else an aligned table with a sentence above it; of "drain" without one: a host and,
// behind a tab, the reason, a line each.
Result<std::string> AnswerHistory(History& history, std::string_view question, const HistoryQuestion& asked, bool json);

// Lines in the text format of Prometheus (0.0.4). The number of hosts in it is bounded by asked.top.
Result<std::string> HistoryMetrics(History& history, const HistoryQuestion& asked);

}  // namespace ncclwhy
