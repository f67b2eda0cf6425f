#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "history/chance.h"
#include "history/suspects.h"
#include "store/select.h"

namespace ncclwhy {
namespace {

// In memory for all places at once: each is asked of all jobs, and the table is read once.
// A job, as far as places ask: which of its hosts are known, and which are blamed.
struct JobHosts {
  int64_t ended = 0;
  std::string cause;
  std::vector<size_t> hosts;
  std::vector<size_t> blamed;
};

// Numbers of hosts by name: "node17.cluster.example" hangs where "node17" does.
// Members are public: it is a table that this file fills and reads.
class HostPlaces {
 public:
  static Result<HostPlaces> Read(History& history) {
    HostPlaces out;
    // A history that never was told any place has no such table, which is no error: there are no suspects then.
    const Result<int64_t> there =
        history.database().Integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'place'");
    if (!there.ok()) return there.status();
    if (there.value() == 0) return out;
    Result<Select> select = Select::Prepare(history.database(), "SELECT host, place FROM place ORDER BY place, host");
    if (!select.ok()) return select.status();
    for (;;) {
      const Result<bool> row = select.value().Next();
      if (!row.ok()) return row.status();
      if (!row.value()) return out;
      const std::string place = select.value().Text(1);
      if (out.names.empty() || out.names.back() != place) {
        out.names.push_back(place);
        out.members.emplace_back();
      }
      out.members.back().insert(out.NumberOf(select.value().Text(0)));
    }
  }
  // A host that no place names gets a number, too: it counts among the hosts of its jobs.
  size_t NumberOf(const std::string& host) {
    const auto known = numbers.find(host);
    // Kubernetes and Slurm print hosts with or without their domain, NCCL without.
    if (known != numbers.end()) return known->second;
    const auto brief = numbers.find(host.substr(0, host.find('.')));
    if (brief != numbers.end()) return brief->second;
    return numbers.emplace(host, numbers.size()).first->second;
  }

  std::vector<std::string> names;         // of the places
  std::vector<std::set<size_t>> members;  // by place
  std::map<std::string, size_t, std::less<>> numbers;
};

// Both lists in one pass, since a job's rows stand together. Blame of a job whose decision is fix-first is left out:
// its fault lies in the job, which would have failed anywhere. Its hosts stay, since it took part.
Result<std::vector<JobHosts>> JobsOf(History& history, HostPlaces* places, int64_t since) {
  Result<Select> select = Select::Prepare(
      history.database(),
      "SELECT job.id, ended, cause, value, blamed FROM (SELECT job, value, 0 AS blamed FROM part WHERE kind = 'host' "
      "UNION ALL SELECT job, value, 1 FROM blame WHERE kind = 'host') AS h JOIN job ON job.id = h.job WHERE ended >= ? "
      "AND (h.blamed = 0 OR decision <> 'fix-first') ORDER BY job.id");
  if (!select.ok()) return select.status();
  select.value().Bind(since);
  std::vector<JobHosts> out;
  for (int64_t last = -1;;) {
    const Result<bool> row = select.value().Next();
    if (!row.ok()) return row.status();
    if (!row.value()) return out;
    const Select& s = select.value();
    if (s.Integer(0) != last) out.push_back({s.Integer(1), s.Text(2), {}, {}});
    last = s.Integer(0);
    // Part or blame: the column is a constant of the subquery that the row came from.
    (s.Integer(4) == 0 ? out.back().hosts : out.back().blamed).push_back(places->NumberOf(s.Text(3)));
  }
}

// "gpu.ecc 4, ib.retry-exceeded 1": the most frequent first, further ones not said.
std::string CausesIn(const std::map<std::string, int64_t>& counts) {
  constexpr size_t kCausesShown = 3;
  // Counts with a minus: one comparison orders by count downwards and by name upwards.
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [cause, count] : counts) order.emplace_back(-count, cause);
  std::sort(order.begin(), order.end());
  std::string out;
  for (size_t i = 0; i < std::min(order.size(), kCausesShown); ++i) {
    out += (out.empty() ? "" : ", ") + order[i].second + " " + std::to_string(-order[i].first);
  }
  return out;
}

// Of one place what the jobs say.
Suspect Ask(const std::string& name, const std::set<size_t>& members, const std::vector<JobHosts>& jobs) {
  Suspect s;
  s.name = name;
  std::map<std::string, int64_t> causes;
  std::map<size_t, int64_t> by_host;
  std::vector<std::set<size_t>> blamed_here;  // of each job that blames one of them
  int64_t failures = 0;
  int64_t with_hosts = 0;
  double share = 0;  // of a job's hosts, over all jobs
  double at_once = 0;
  for (const JobHosts& job : jobs) {
    const auto inside = [&](size_t host) { return members.contains(host); };
    const auto here = std::count_if(job.hosts.begin(), job.hosts.end(), inside);
    if (here > 0) ++s.took_part;
    if (!job.hosts.empty()) {
      ++with_hosts;
      share += static_cast<double>(here) / static_cast<double>(job.hosts.size());
    }
    // Each blamed host once: a cause may name two GPUs of one host.
    if (job.blamed.empty()) continue;
    ++failures;
    at_once += static_cast<double>(job.blamed.size());
    std::set<size_t> blamed;
    for (const size_t host : job.blamed) {
      if (inside(host) && blamed.insert(host).second) ++by_host[host];
    }
    if (blamed.empty()) continue;
    ++s.blamed;
    s.first = s.first == 0 ? job.ended : std::min(s.first, job.ended);
    s.last = std::max(s.last, job.ended);
    ++causes[job.cause];
    blamed_here.push_back(std::move(blamed));
  }
  s.hosts = static_cast<int64_t>(by_host.size());
  s.causes = CausesIn(causes);
  if (s.blamed == 0) return s;
  // A single bad host is told by itself. The place must be suspect without it: its `others` are the jobs that blame any
  // other host of the place.
  const auto most = std::max_element(by_host.begin(), by_host.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  // A job that blames two hosts of the place counts among the others, whichever of them is the worst.
  const auto others = std::count_if(blamed_here.begin(), blamed_here.end(), [&](const std::set<size_t>& blamed) {
    return blamed.size() > 1 || !blamed.contains(most->first);
  });
  // The mean share of a job's hosts that hang here, times how many hosts a failure blames at once: the probability that
  // a failure hits the place, by chance.
  const double one = with_hosts == 0 ? 1 : share / static_cast<double>(with_hosts);
  s.chance = ChanceOfBlame(failures, std::min(1.0, one * at_once / static_cast<double>(failures)), others);
  return s;
}

}  // namespace

Result<std::vector<Suspect>> BlamedPlaces(History& history, const HistoryQuestion& asked) {
  Result<HostPlaces> places = HostPlaces::Read(history);
  if (!places.ok()) return places.status();
  const Result<std::vector<JobHosts>> jobs = JobsOf(history, &places.value(), asked.since);
  if (!jobs.ok()) return jobs.status();
  std::vector<Suspect> out;
  // A leaf and its only spine have the same hosts: they could never be told apart, and would count twice as tests.
  std::set<std::set<size_t>> told;
  for (size_t i = 0; i < places.value().names.size(); ++i) {
    if (!told.insert(places.value().members[i]).second) continue;
    out.push_back(Ask(places.value().names[i], places.value().members[i], jobs.value()));
  }
  // All places that were asked are tests, also those that nobody blames: before they go.
  for (Suspect& s : out) s.chance = ForMany(s.chance, static_cast<int64_t>(out.size()));
  std::erase_if(out, [](const Suspect& s) { return s.blamed == 0; });
  std::stable_sort(out.begin(), out.end(), [](const Suspect& a, const Suspect& b) {
    return std::pair(a.chance, -a.blamed) < std::pair(b.chance, -b.blamed);
  });
  if (out.size() > static_cast<size_t>(asked.top)) out.resize(static_cast<size_t>(asked.top));
  return out;
}

}  // namespace ncclwhy
