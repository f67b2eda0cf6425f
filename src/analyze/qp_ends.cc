#include "analyze/qp_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analyze/address_comparison.h"
#include "analyze/gid_comparison.h"
#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

// ::ffff:10.0.0.5 → 10.0.0.5; empty for what is no address that somebody could reach.
std::string AddressOf(std::string_view gid) {
  const Gid read = ReadGid(gid);
  return read.kind == GidKind::kAddress ? read.text : std::string();
}

struct Told {
  std::string address;
  Place place;
};

// The addresses of the queue pairs that the processes of a host, or one of them, have made with a device ("1"), or with
// any; each once.
std::vector<Told> AddressesOf(const JobModel& model, std::string_view host, ProcessId process,
                              std::string_view device) {
  std::vector<Told> out;
  for (const Process& p : model.processes) {
    if (p.host != host || (process.valid() && p.id != process)) continue;
    for (const auto& [source, index] : p.parts) {
      const SourceFacts& facts = *model.sources[source.value];
      for (const Event& e : facts.events) {
        if (e.kind != EventKind::kIbQp || e.process != index) continue;
        if (!device.empty() && facts.Get(e, FieldId::kDevice) != device) continue;
        std::string address = AddressOf(facts.Get(e, FieldId::kGid));
        const bool known = std::any_of(out.begin(), out.end(), [&](const Told& t) { return t.address == address; });
        if (address.empty() || known) continue;
        out.push_back({std::move(address), {source, e.line, e.offset, facts.Str(e.text)}});
      }
    }
  }
  return out;
}

}  // namespace

std::optional<QpEnds> EndsOfFailedQp(const CaseFile& c, const Finding& f) {
  const Event* event = EventAt(c.model, f.source, f.line, EventKind::kIbQp);
  if (event == nullptr || !f.process.valid() || !c.model.largest.valid()) return std::nullopt;
  const SourceFacts& facts = *c.model.sources[f.source.value];
  if (facts.Get(*event, FieldId::kErrnoText).empty() || !facts.Get(*event, FieldId::kGid).empty()) return std::nullopt;
  const Process& process = c.model.processes[f.process.value];
  const std::vector<Rank>& ranks = c.model.communicators[c.model.largest.value].ranks;
  std::vector<QpEnds> found;
  for (const Edge& edge : c.model.edges) {
    if (edge.process != f.process || edge.comm != c.model.largest || !edge.transport.starts_with("NET/IB")) continue;
    const int32_t other = edge.from == process.rank ? edge.to : edge.from;
    const auto peer = std::find_if(ranks.begin(), ranks.end(), [&](const Rank& r) { return r.rank == other; });
    if (peer == ranks.end() || !peer->process.valid() || peer->host == process.host) continue;
    std::vector<Told> own = AddressesOf(c.model, process.host, {}, edge.device);
    if (own.empty()) own.emplace_back();  // nobody there has printed one of that device
    for (const Told& theirs : AddressesOf(c.model, peer->host, peer->process, {})) {
      for (const Told& ours : own) found.push_back({ours.address, theirs.address, ours.place, theirs.place});
    }
  }
  if (found.empty()) return std::nullopt;
  const auto apart = std::find_if(found.begin(), found.end(), [&](const QpEnds& ends) {
    return !CompareAddresses(ends.own, ends.peer, c.language).empty();
  });
  return apart == found.end() ? found.front() : *apart;
}

namespace {

// Of the first failing line that has them.
std::optional<QpEnds> EndsOf(const CaseFile& c, const Hypothesis& h) {
  for (const size_t n : h.evidence) {
    if (auto ends = EndsOfFailedQp(c, c.items[n].finding)) return ends;
  }
  return std::nullopt;
}

// The last part of the path: the note stands below a line that has all of it.
std::string_view NameOf(const JobModel& model, SourceId source) {
  const std::string_view name = model.sources[source.value]->name;
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

void AddQpEnds(const CaseFile& c, const Hypothesis& h, TemplateValues* values) {
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) values->try_emplace(name, value);
  };
  const auto said = [&](const char* name) {
    const auto at = values->find(name);
    return at == values->end() ? std::string() : AddressOf(at->second);
  };
  set("local_address", said("gid"));
  set("peer_address", said("remote_gid"));
  if (values->contains("peer_address")) return;
  const auto ends = EndsOf(c, h);
  if (!ends) return;
  set("compared", CompareAddresses(ends->own, ends->peer, c.language));
  set("local_address", ends->own);
  set("peer_address", ends->peer);
}

std::vector<Evidence> LineOfQpEnds(const CaseFile& c, const Hypothesis& h) {
  const auto ends = EndsOf(c, h);
  if (!ends || CompareAddresses(ends->own, ends->peer, c.language).empty()) return {};
  // One line for both: they differ in nothing but the addresses, and would be told as one.
  Evidence e = PlaceEvidence(c.model, ends->peer_line, "supporting");
  e.note = fmt::format(fmt::runtime(c.chinese() ? "该 GID 是对端的 {}；本端为 {}（{}:{}）"
                                                : "the GID of the other end is {}, that of this end {} ({}:{})"),
                       ends->peer, ends->own, NameOf(c.model, ends->own_line.source), ends->own_line.line);
  return {std::move(e)};
}

}  // namespace ncclwhy
