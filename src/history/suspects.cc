#include "history/suspects.h"

#include <algorithm>

#include "base/text.h"
#include "history/chance.h"
#include "store/select.h"

namespace ncclwhy {
namespace {

constexpr int64_t kCausesShown = 3;

// One row of numbers, all binds being the window's begin.
Result<std::vector<double>> Row(History& history, const std::string& sql, int columns, int64_t since) {
  Result<Select> select = Select::Prepare(history.database(), sql.c_str());
  if (!select.ok()) return select.status();
  // Each ? of the text is the same value: subqueries are windowed like the query around them.
  for (size_t i = 0; i < static_cast<size_t>(std::count(sql.begin(), sql.end(), '?')); ++i) select.value().Bind(since);
  const Result<bool> row = select.value().Next();
  if (!row.ok()) return row.status();
  std::vector<double> out;
  for (int i = 0; i < columns; ++i) out.push_back(select.value().Real(i));
  return out;
}

// "gpu.ecc 4, ib.retry-exceeded 1", for one suspect.
Result<std::string> CausesOf(History& history, const std::string& kind, const std::string& name, int64_t since) {
  Result<Select> select = Select::Prepare(history.database(),
                                          "SELECT cause, count(*) FROM blame JOIN job ON job.id = blame.job WHERE "
                                          "blame.kind = ? AND value = ? AND ended >= "
                                          "? GROUP BY cause ORDER BY 2 DESC, 1 LIMIT ?");
  if (!select.ok()) return select.status();
  select.value().Bind(kind).Bind(name).Bind(since).Bind(kCausesShown);
  std::string out;
  for (;;) {
    const Result<bool> row = select.value().Next();
    if (!row.ok()) return row.status();
    if (!row.value()) return out;
    out += (out.empty() ? "" : ", ") + select.value().Text(0) + " " + std::to_string(select.value().Integer(1));
  }
}

// One that whoever reads the list may hand to `scontrol update nodename=…`, where ALL is every node.
bool IsHostName(const std::string& name) {
  return !name.empty() && !SameButCase(name, "all") && name != "localhost" && name[0] != '-' && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsAlnum(c) || c == '.' || c == '-' || c == '_'; });
}

}  // namespace

Result<HistoryTotals> TotalsOf(History& history, int64_t since) {
  const Result<std::vector<double>> row = Row(
      history,
      "SELECT count(*), count(*) FILTER (WHERE verdict IN ('failure', 'degraded', 'undetermined')), count(*) FILTER "
      "(WHERE EXISTS (SELECT 1 FROM blame WHERE job = id AND kind = 'host')) FROM job WHERE ended >= ?",
      3, since);
  if (!row.ok()) return row.status();
  const auto number = [&](size_t i) { return static_cast<int64_t>(row.value()[i]); };
  return HistoryTotals{number(0), number(1), number(2)};
}

Result<std::vector<Suspect>> BlamedOnes(
    History& history, const std::string& kind, const HistoryQuestion& asked,
    // The chance of ChanceOfBlame takes three figures: how many failures blame a host at all, what share of its hosts
    // such a failure blames, and in what share of all jobs this host took part.
    bool recurring_only) {
  const Result<HistoryTotals> totals = TotalsOf(history, asked.since);
  if (!totals.ok()) return totals.status();
  const std::string those = recurring_only ? " AND decision <> 'fix-first'" : "";
  // The mean share of its job's hosts that a failure blames: 1 where no other host is known.
  const Result<std::vector<double>> shares =
      // max(b, m): a report may blame hosts of which no log was read.
      Row(history,
          "SELECT count(*), avg(CAST(b AS REAL) / max(b, m)) FROM (SELECT count(*) AS b, (SELECT count(*) FROM part "
          "WHERE part.job = blame.job AND part.kind = 'host') AS m FROM blame JOIN job ON job.id = blame.job WHERE "
          "blame.kind = 'host' AND ended >= ?" +
              those + " GROUP BY blame.job)",
          2, asked.since);
  if (!shares.ok()) return shares.status();
  // Every host that ever took part is a test, also those that nobody blames.
  // Of all times and not of the window: the correction errs towards chance.
  const Result<std::vector<double>> hosts =
      Row(history, "SELECT count(DISTINCT value) FROM part WHERE kind = 'host'", 1, 0);
  if (!hosts.ok()) return hosts.status();
  Result<Select> select = Select::Prepare(
      history.database(),
      ("SELECT value, count(*), min(ended), max(ended) FROM blame JOIN job ON job.id = blame.job WHERE blame.kind = ? "
       "AND ended >= ?" +
       those + " GROUP BY value ORDER BY 2 DESC, 4 DESC, 1 LIMIT ?")
          .c_str());
  if (!select.ok()) return select.status();
  select.value().Bind(kind).Bind(asked.since).Bind(asked.top);
  std::vector<Suspect> out;
  for (;;) {
    const Result<bool> row = select.value().Next();
    if (!row.ok()) return row.status();
    if (!row.value()) break;
    Suspect& found = out.emplace_back();
    found.name = select.value().Text(0);
    found.blamed = select.value().Integer(1);
    found.first = select.value().Integer(2);
    found.last = select.value().Integer(3);
  }
  for (Suspect& found : out) {
    // A device took part where its host did.
    // `node17 mlx5_2`: the host in front of the first blank.
    const std::string host = kind == "device" ? found.name.substr(0, found.name.find(' ')) : found.name;
    Result<Select> part =
        Select::Prepare(history.database(),
                        "SELECT count(*) FROM part JOIN job ON job.id = part.job WHERE part.kind = 'host' AND value "
                        "= ? AND ended >= ?");
    if (!part.ok()) return part.status();
    const Result<bool> row = part.value().Bind(host).Bind(asked.since).Next();
    if (!row.ok()) return row.status();
    found.took_part = part.value().Integer(0);
    const double share =
        static_cast<double>(found.took_part) / static_cast<double>(std::max<int64_t>(1, totals.value().jobs));
    const double chance =
        ChanceOfBlame(static_cast<int64_t>(shares.value()[0]), share * shares.value()[1], found.blamed);
    found.chance = ForMany(chance, static_cast<int64_t>(hosts.value()[0]));
    Result<std::string> causes = CausesOf(history, kind, found.name, asked.since);
    if (!causes.ok()) return causes.status();
    found.causes = causes.take();
  }
  return out;
}

// Drawn without putting back: all jobs of a window are known, and a version's jobs are a part of them.
Result<std::vector<Suspect>> FailingVersions(History& history, const HistoryQuestion& asked) {
  const Result<HistoryTotals> totals = TotalsOf(history, asked.since);
  if (!totals.ok()) return totals.status();
  Result<Select> select = Select::Prepare(
      history.database(),
      "SELECT part.kind, value, count(*) FILTER (WHERE verdict IN ('failure', 'degraded', 'undetermined')), count(*), "
      "min(ended), max(ended) FROM part JOIN job ON job.id = part.job WHERE part.kind <> 'host' AND ended >= ? GROUP "
      "BY "
      "1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?");
  if (!select.ok()) return select.status();
  select.value().Bind(asked.since).Bind(asked.top);
  std::vector<Suspect> out;
  for (;;) {
    const Result<bool> row = select.value().Next();
    if (!row.ok()) return row.status();
    if (!row.value()) break;
    Suspect& found = out.emplace_back();
    found.name = select.value().Text(0) + " " + select.value().Text(1);
    found.blamed = select.value().Integer(2);
    found.took_part = select.value().Integer(3);
    found.first = select.value().Integer(4);
    found.last = select.value().Integer(5);
    found.chance = HypergeometricTail(totals.value().jobs, found.took_part, totals.value().failures, found.blamed);
  }
  // Only versions that are shown are tests: with asked.top all of them in practice.
  for (Suspect& found : out) found.chance = ForMany(found.chance, static_cast<int64_t>(out.size()));
  return out;
}

// Of the asked.top most blamed ones: a host beyond is not considered.
Result<std::vector<Suspect>> HostsToDrain(History& history, const HistoryQuestion& asked) {
  Result<std::vector<Suspect>> all = BlamedOnes(history, "host", asked, true);
  if (!all.ok()) return all;
  // A name that is no host's was forged, or is that of a container that nobody can drain.
  std::erase_if(all.value(), [&](const Suspect& s) {
    return s.blamed < asked.least || s.chance >= asked.chance || !IsHostName(s.name);
  });
  return all;
}

}  // namespace ncclwhy
