#include "analyze/template_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/numbers.h"
#include "kb/loader/command_words.h"

namespace ncclwhy {
namespace {

std::string Human(uint64_t bytes) {
  const HumanBytes h = ToHumanBytes(bytes);
  return h.value == static_cast<double>(static_cast<uint64_t>(h.value)) ? fmt::format("{:.0f} {}", h.value, h.unit)
                                                                        : fmt::format("{:.1f} {}", h.value, h.unit);
}

// Ranks that share the host: as NCCL says, else as many as the log shows.
int64_t RanksPerHost(const JobModel& model) {
  int64_t most = 1;
  std::map<std::string_view, int64_t> per_host;
  for (const Process& p : model.processes) {
    // A host of which lines of few processes are there has at least as many GPUs as the highest number that one names.
    most = std::max(most, ++per_host[p.host]);
    most = std::max<int64_t>(most, p.gpu + 1);
  }
  for (const Communicator& c : model.communicators) {
    int64_t local = 0;
    for (const Rank& r : c.ranks) local = std::max<int64_t>(local, r.local_rank + 1);
    if (c.nnodes == 1) local = std::max(local, c.nranks);
    most = std::max(most, local);
  }
  return std::min<int64_t>(most, 64);
}

// /dev/shm must hold a segment for each pair of neighbours, sending and receiving side, on every rank of the host;
// doubled because frameworks (data loaders) use it too. Rounded up to a power of two, at least 1 GiB: the price of too
// much is nothing, tmpfs takes only what is written.
std::string ShmNeeded(const JobModel& model, uint64_t segment) {
  const uint64_t ranks = static_cast<uint64_t>(std::max<int64_t>(RanksPerHost(model), 8));
  // A number of a damaged line is no size: the command keeps to what a host can have.
  segment = std::min<uint64_t>(segment, 1ull << 44);
  const uint64_t bytes = segment > (1ull << 40) ? segment : segment * ranks * 2 * 2;
  const uint64_t gib = std::bit_ceil(std::max<uint64_t>(1, (bytes + (1ull << 30) - 1) >> 30));
  return fmt::format("{}g", gib);
}

// The pid of a rank whose lines do not tell it, from what is said of it; empty where several are told of, and none is
// this rank's.
//   failed (exitcode: -9) local_rank: 0 (pid: 211328) of binary: …        exitcode  : -9 (pid: 211329)
std::string PidOfRank(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis,
                      int32_t rank) {
  // On several nodes the local rank 3 is of each, and the rank 3 of one.
  const bool one_node = model.hosts.size() < 2;
  std::set<std::string> all, own;
  for (const size_t n : hypothesis.evidence) {
    const Finding& f = items[n].finding;
    const auto pid = f.fields.find("pid");
    if (pid == f.fields.end()) continue;
    all.insert(pid->second);
    const auto local = f.fields.find("local_rank");
    if (f.rank == rank || (one_node && local != f.fields.end() && local->second == std::to_string(rank)))
      own.insert(pid->second);
  }
  if (own.size() == 1) return *own.begin();
  return all.size() == 1 ? *all.begin() : std::string();
}

}  // namespace

std::string HostsThatTell(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis) {
  constexpr size_t kNamed = 3;
  std::set<std::string_view> hosts;
  for (const size_t n : hypothesis.evidence) {
    const Finding& f = items[n].finding;
    if (f.role != Role::kRoot || !f.process.valid()) continue;
    if (const std::string_view host = model.processes[f.process.value].host; !host.empty()) hosts.insert(host);
  }
  std::string out;
  for (const std::string_view host : hosts) {
    if (hosts.size() > kNamed) return std::string(*hosts.begin()) + ", \xE2\x80\xA6";  // …
    out += (out.empty() ? "" : ", ") + std::string(host);
  }
  return out;
}

bool OneOfSeveral(const CauseTraits& traits, const std::vector<Culprit>& culprits) {
  if (!traits.gone || culprits.size() < 2 || culprits[0].rank < 0) return false;
  return culprits[1].rank >= 0 && culprits[1].rank != culprits[0].rank && culprits[1].why == culprits[0].why;
}

std::string_view WithoutQuotes(std::string_view value) {
  for (const char quote : {'"', '\''}) {
    // An odd number: the other end is outside of the value.
    if (std::count(value.begin(), value.end(), quote) % 2 == 0) continue;
    const size_t at = value.find_last_not_of(" ,;)]}\\");
    if (at != std::string_view::npos && value[at] == quote) value = value.substr(0, at);
    while (!value.empty() && value.back() == '\\') value.remove_suffix(1);
  }
  // "Connection closed by remote peer \x0c<>": a name of which nothing can be read is none.
  const bool told = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
  return told ? value : std::string_view();
}

std::string AsSentence(std::string text) {
  constexpr std::string_view kOwn[] = {"rank ", "ranks ", "a ", "the ", "one "};
  const bool own =
      std::any_of(std::begin(kOwn), std::end(kOwn), [&](std::string_view w) { return text.starts_with(w); });
  if (own) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

TemplateValues FindingValues(const Finding& f) {
  TemplateValues values;
  for (const auto& [name, value] : f.fields) {
    if (const std::string_view v = WithoutQuotes(value); !v.empty()) values.emplace(name, v);
  }
  // Of whom a launcher speaks its note calls rank and host; who prints the line is another.
  for (const auto& [told, name] : {std::pair("culprit_rank", "rank"), std::pair("culprit_host", "host")}) {
    if (const auto it = values.find(told); it != values.end()) values.insert_or_assign(name, it->second);
  }
  if (f.rank >= 0) values.emplace("rank", std::to_string(f.rank));
  if (!f.host.empty()) values.emplace("host", f.host);
  return values;
}

TemplateValues ValuesFor(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis,
                         const std::vector<Culprit>& culprits) {
  TemplateValues values;
  ProcessId process;
  for (const size_t n : hypothesis.evidence) {
    const Finding& f = items[n].finding;
    for (const auto& [name, value] : f.fields) {
      if (const std::string_view v = WithoutQuotes(value); !v.empty()) values.emplace(name, v);
    }
    if (!process.valid()) process = f.process;
  }
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) values.insert_or_assign(name, value);
  };
  if (process.valid()) {
    const Process& p = model.processes[process.value];
    set("reporter", std::string(p.host));
    if (!values.contains("host")) set("host", std::string(p.host));
    if (!values.contains("version")) set("version", std::string(p.nccl_version));
    if (!values.contains("cuda")) set("cuda", std::string(p.cuda_version));
    if (!values.contains("driver")) set("driver", std::string(p.driver_version));
    set("own_address", std::string(p.bootstrap.address));
    if (!values.contains("interface")) set("interface", std::string(p.bootstrap.interface));
  }
  if (!culprits.empty()) {
    const Culprit& c = culprits.front();
    set("host", c.host);
    if (c.rank >= 0) set("rank", std::to_string(c.rank));
    if (c.gpu >= 0) set("gpu", std::to_string(c.gpu));
    if (c.pid >= 0) {
      const std::string pid = std::to_string(c.pid);
      // Who says it counts in another namespace, or means another process: "Killed process 87147 (train)" beside pid
      // 28969.
      if (const auto said = values.find("pid"); said != values.end() && said->second != pid) {
        values.insert_or_assign("other_pid", said->second);
      }
      set("pid", pid);
    } else if (c.rank >= 0) {
      if (const std::string pid = PidOfRank(model, items, hypothesis, c.rank); pid.empty()) {
        values.erase("pid");
      } else {
        set("pid", pid);
      }
    }
    set("device", c.device);
    set("who", c.rank >= 0 ? fmt::format("rank {}", c.rank) : c.host);
    if (c.rank >= 0) set("who_host", c.host);
  }
  // The kernel counts so: "anon-rss:508193020kB".
  if (const auto it = values.find("size_kib"); it != values.end()) {
    if (const auto kib = ParseInt<uint32_t>(it->second)) set("size_human", Human(uint64_t{*kib} << 10));
  }
  if (const auto it = values.find("size"); it != values.end()) {
    if (const auto bytes = ParseInt<uint64_t>(it->second)) {
      set("size_human", Human(*bytes));
      set("shm_needed", ShmNeeded(model, *bytes));
    }
  }
  if (model.largest.valid()) {
    const Communicator& c = model.communicators[model.largest.value];
    if (c.nranks > 0) values.emplace("nranks", std::to_string(c.nranks));
    values.emplace("ranks_seen", std::to_string(c.ranks_seen));
    std::string missing;
    int listed = 0;
    for (const Rank& r : c.ranks) {
      if (r.seen) continue;
      if (++listed > 8) {
        missing += ", …";
        break;
      }
      missing += (missing.empty() ? "" : ", ") + std::to_string(r.rank);
    }
    if (!missing.empty()) values.emplace("missing_ranks", missing);
  }
  return values;
}

TemplateValues WordsForCommands(TemplateValues values, const std::vector<Culprit>& culprits) {
  if (!culprits.empty() && !culprits.front().host.empty()) values.try_emplace("who_host", culprits.front().host);
  // "r08n19 (10.149.3.48)" is for sentences.
  if (const auto peer = values.find("peer"); peer != values.end())
    peer->second.erase(std::min(peer->second.find(' '), peer->second.size()));
  // Where no GID tells the address by which RDMA goes, that by which the two have met.
  if (const auto peer = values.find("peer"); peer != values.end()) values.try_emplace("peer_address", peer->second);
  return CommandWords(values);
}

}  // namespace ncclwhy
