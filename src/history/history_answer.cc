#include "history/history_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/escape.h"
#include "base/json.h"
#include "base/utf8.h"
#include "history/suspects.h"
#include "store/select.h"

namespace ncclwhy {
namespace {

using OrderedJson = OrderedJsonValue;

// By UTC; "" for a time that is none.
std::string Day(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

// One digit: the figure is an order of magnitude.
// A tenth and more is what a fleet shows every day.
std::string ChanceWords(double chance) {
  if (chance >= 0.1) return "by chance";
  return chance < 1e-12 ? "<1e-12" : fmt::format("{:.1g}", chance);
}

// A sentence and rows; every row has the same members.
struct Answer {
  std::string sentence;
  OrderedJson rows = OrderedJson::array();
};

// One row of hosts, devices, places or versions: `share` is that of all jobs in which it took part.
OrderedJson RowOf(const char* what, const Suspect& s, const HistoryTotals& totals) {
  OrderedJson row = {
      {what, s.name},
      {std::string(what) == "version" ? "failures" : "blamed", s.blamed},
      {"jobs", s.took_part},
      {"share", totals.jobs == 0 ? 0.0 : static_cast<double>(s.took_part) / static_cast<double>(totals.jobs)},
      {"first", Day(s.first)},
      {"last", Day(s.last)},
      {"chance", s.chance}};
  if (s.hosts > 0) row["hosts"] = s.hosts;
  if (!s.causes.empty()) row["causes"] = s.causes;
  return row;
}

// Causes with how many jobs and hosts they had, the most frequent first.
Result<Answer> Causes(History& history, const HistoryQuestion& asked) {
  Result<Select> select = Select::Prepare(history.database(),
                                          "SELECT cause, count(*), min(ended), max(ended), (SELECT count(DISTINCT "
                                          "value) FROM blame JOIN job AS j ON j.id = "
                                          "blame.job WHERE kind = 'host' AND j.cause = job.cause AND j.ended >= ?) "
                                          "FROM job WHERE cause <> '' AND ended >= ? "
                                          "GROUP BY cause ORDER BY 2 DESC, 1 LIMIT ?");
  if (!select.ok()) return select.status();
  select.value().Bind(asked.since).Bind(asked.since).Bind(asked.top);
  Answer out;
  for (;;) {
    const Result<bool> row = select.value().Next();
    if (!row.ok()) return row.status();
    if (!row.value()) return out;
    const Select& s = select.value();
    out.rows.push_back({{"cause", s.Text(0)},
                        {"jobs", s.Integer(1)},
                        {"hosts", s.Integer(4)},
                        {"first", Day(s.Integer(2))},
                        {"last", Day(s.Integer(3))}});
  }
}

// `drain` is a list of hosts as well: what it leaves out is told by HostsToDrain.
// `question` is one of HistoryQuestions(): what is none of them is answered as "hosts".
Result<Answer> Find(History& history, std::string_view question, const HistoryQuestion& asked) {
  const Result<HistoryTotals> totals = TotalsOf(history, asked.since);
  if (!totals.ok()) return totals.status();
  Answer out;
  if (question == "causes") {
    Result<Answer> causes = Causes(history, asked);
    if (!causes.ok()) return causes;
    out = causes.take();
  } else {
    const bool devices = question == "devices";
    Result<std::vector<Suspect>> found = question == "versions"   ? FailingVersions(history, asked)
                                         : question == "switches" ? BlamedPlaces(history, asked)
                                         : question == "drain"
                                             ? HostsToDrain(history, asked)
                                             : BlamedOnes(history, devices ? "device" : "host", asked, false);
    if (!found.ok()) return found.status();
    const char* what = question == "versions"   ? "version"
                       : question == "switches" ? "place"
                       : devices                ? "device"
                                                : "host";
    for (const Suspect& suspect : found.value()) out.rows.push_back(RowOf(what, suspect, totals.value()));
  }
  out.sentence = fmt::format("{} jobs, {} of them failed or were slow, {} with a host to blame", totals.value().jobs,
                             totals.value().failures, totals.value().blaming);
  return out;
}

// Names come from logs: escaped for a terminal here, and nowhere else.
std::string Cell(const std::string& key, const OrderedJson& value) {
  if (key == "chance") return ChanceWords(value.get<double>());
  if (key == "share") return fmt::format("{:.3g} %", value.get<double>() * 100);
  return value.is_string() ? EscapeTerminal(value.get<std::string>()) : value.dump();
}

// Columns as wide as their widest cell, two blanks between them; the last one is not padded.
std::string Aligned(const OrderedJson& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const OrderedJson& row : rows) {
    std::vector<std::string> names;
    // All rows have the same members, so the first one names the columns.
    std::vector<std::string> cells;
    for (const auto& [key, value] : row.items()) {
      names.push_back(key);
      cells.push_back(Cell(key, value));
      // Columns are of what a terminal shows, not of bytes: a Chinese name has two columns a character.
    }
    if (lines.empty()) lines.push_back(std::move(names));
    lines.push_back(std::move(cells));
  }
  std::vector<size_t> widths;
  for (const std::vector<std::string>& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(line[i]));
  }
  std::string out;
  for (const std::vector<std::string>& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(widths[i] - DisplayWidth(line[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

// node17<TAB>blamed in 5 jobs since 2026-10-02, last 2026-11-20, chance 3e-06: gpu.ecc 5
std::string DrainLines(const OrderedJson& rows) {
  std::string out;
  for (const OrderedJson& row : rows) {
    const auto text = [&](const char* name) { return Cell(name, row.value(name, OrderedJson(""))); };
    out += fmt::format("{}\tblamed in {} jobs since {}, last {}, chance {}: {}\n", text("host"), text("blamed"),
                       text("first"), text("last"), text("chance"), text("causes"));
  }
  return out;
}

// As Prometheus wants label values, and without anything that a terminal obeys.
// A newline would end the sample; EscapeTerminal has turned it into visible characters.
std::string Label(const std::string& text) {
  std::string out;
  for (const char c : EscapeTerminal(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::vector<std::string> HistoryQuestions() { return {"hosts", "devices", "switches", "versions", "causes", "drain"}; }

Result<std::string> AnswerHistory(History& history, std::string_view question, const HistoryQuestion& asked,
                                  bool json) {
  Result<Answer> answer = Find(history, question, asked);
  if (!answer.ok()) return answer.status();
  if (json) {
    const Result<HistoryTotals> totals = TotalsOf(history, asked.since);
    if (!totals.ok()) return totals.status();
    OrderedJson out = {{"schema", "ncclwhy.history/1"},
                       {"question", std::string(question)},
                       {"jobs", totals.value().jobs},
                       {"failures", totals.value().failures},
                       {"blaming", totals.value().blaming}};
    out["rows"] = std::move(answer.value().rows);
    // Names in the rows may hold bytes that are no UTF-8.
    return EscapeJsonHidden(out.dump(2, ' ', false, OrderedJson::error_handler_t::replace)) + "\n";
  }
  if (question == "drain") return DrainLines(answer.value().rows);
  return answer.value().sentence + "\n" + Aligned(answer.value().rows);
}

// Only those of asked.top: a label for every host of a cluster would be a series each, which Prometheus keeps for long.
Result<std::string> HistoryMetrics(History& history, const HistoryQuestion& asked) {
  std::string out;
  const auto head = [&](const char* name, const char* help) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
  };
  const Result<HistoryTotals> totals = TotalsOf(history, asked.since);
  const Result<Answer> causes = Causes(history, asked);
  const Result<std::vector<Suspect>> hosts = BlamedOnes(history, "host", asked, false);
  const Result<std::vector<Suspect>> drain = HostsToDrain(history, asked);
  if (!totals.ok()) return totals.status();
  if (!causes.ok()) return causes.status();
  if (!hosts.ok()) return hosts.status();
  if (!drain.ok()) return drain.status();
  head("ncclwhy_history_jobs", "Jobs in the history.");
  out += fmt::format("ncclwhy_history_jobs {}\n", totals.value().jobs);
  head("ncclwhy_history_failures", "Jobs that failed or were slow.");
  out += fmt::format("ncclwhy_history_failures {}\n", totals.value().failures);
  head("ncclwhy_history_cause_jobs", "Jobs by the cause that was named first.");
  for (const OrderedJson& row : causes.value().rows) {
    out += fmt::format("ncclwhy_history_cause_jobs{{cause=\"{}\"}} {}\n", Label(row["cause"].get<std::string>()),
                       row["jobs"].dump());
  }
  head("ncclwhy_history_host_blamed", "Jobs whose first cause blames the host, the most blamed ones.");
  for (const Suspect& host : hosts.value()) {
    out += fmt::format("ncclwhy_history_host_blamed{{host=\"{}\"}} {}\n", Label(host.name), host.blamed);
  }
  head("ncclwhy_history_host_chance", "Probability that chance alone blames the host so often, corrected for many.");
  for (const Suspect& host : hosts.value()) {
    out += fmt::format("ncclwhy_history_host_chance{{host=\"{}\"}} {:.3g}\n", Label(host.name), host.chance);
  }
  // Only where somebody has told places: else the two series would be there with nothing in them.
  const Result<std::vector<Suspect>> places = BlamedPlaces(history, asked);
  if (!places.ok()) return places.status();
  if (!places.value().empty()) {
    head("ncclwhy_history_place_blamed", "Jobs whose first cause blames hosts of the switch, rack or zone.");
    for (const Suspect& place : places.value()) {
      out += fmt::format("ncclwhy_history_place_blamed{{place=\"{}\"}} {}\n", Label(place.name), place.blamed);
    }
    head("ncclwhy_history_place_chance", "Probability that chance alone blames it so often without its worst host.");
    for (const Suspect& place : places.value()) {
      out += fmt::format("ncclwhy_history_place_chance{{place=\"{}\"}} {:.3g}\n", Label(place.name), place.chance);
    }
  }
  head("ncclwhy_history_host_drain", "1 for a host of the drain list.");
  for (const Suspect& host : drain.value()) {
    out += fmt::format("ncclwhy_history_host_drain{{host=\"{}\"}} 1\n", Label(host.name));
  }
  return out;
}

}  // namespace ncclwhy
