#include "parser/facts_builder.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"

namespace ncclwhy {
namespace {

constexpr size_t kKinds = static_cast<size_t>(EventKind::kApplication) + 1;

// How many events of a kind one process may add. State that is joined later gets room; text-only kinds little.
uint32_t LimitOf(EventKind kind) {
  switch (kind) {
    case EventKind::kCommInitStart:
    case EventKind::kCommInitComplete:
    case EventKind::kCommTopology:
    case EventKind::kInitTimings:
    case EventKind::kCommAbort:
    case EventKind::kCommDestroy:
    case EventKind::kCommRevoke:
      return static_cast<uint32_t>(limits::kCommunicatorsPerProcess);
    case EventKind::kEnvironment:
      return 512;
    case EventKind::kCollective:
      return UINT32_MAX;
    case EventKind::kTopology:
    case EventKind::kProxy:
    case EventKind::kRegistration:
    case EventKind::kCall:
      return 8;
    default:
      return limits::kEventsPerKindAndProcess;
  }
}

uint32_t SourceLimitOf(EventKind kind) {
  return LimitOf(kind) == limits::kCommunicatorsPerProcess ? limits::kCommunicatorEventsPerSource
                                                           : limits::kEventsPerKindAndSource;
}

// The events of lines without a process share one budget that must not starve: kernel, Slurm, Kubernetes.
constexpr uint32_t kNoProcessFactor = 16;

}  // namespace

EventWriter& EventWriter::Set(FieldId field, std::string_view value) {
  if (!kept_ || value.empty()) return *this;
  const StringId id = builder_->InternEvidence(value);
  if (!id.valid()) return *this;
  builder_->facts_->fields.push_back({field, id});
  ++builder_->facts_->events.back().field_count;
  return *this;
}

EventWriter& EventWriter::Set(FieldId field, int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return Set(field, std::string_view(digits, static_cast<size_t>(end - digits)));
}

StringId FactsBuilder::Intern(std::string_view text) {
  StringPool& pool = facts_->strings;
  if (pool.bytes() + text.size() > limits::kPoolBytesPerSource) {
    const StringId known = pool.Find(text);
    if (!known.valid()) facts_->counters.Add(Counter::kDroppedText);
    return known;
  }
  return pool.Intern(text);
}

StringId FactsBuilder::InternEvidence(std::string_view text) { return Intern(text.substr(0, limits::kEvidenceText)); }

EventWriter FactsBuilder::Begin(EventKind kind, const ParsedLine& line, uint32_t process) {
  const auto k = static_cast<size_t>(kind);
  const size_t slot = process == kNoProcess ? 0 : process + size_t{1};
  if (source_counts_.empty()) source_counts_.resize(kKinds);
  if (kind_counts_.size() < (slot + 1) * kKinds) kind_counts_.resize((slot + 1) * kKinds);
  uint32_t& mine = kind_counts_[slot * kKinds + k];
  const uint64_t limit = uint64_t{LimitOf(kind)} * (slot == 0 ? kNoProcessFactor : 1);
  const bool whole = kind == EventKind::kCollective;
  const bool full = source_counts_[k] >= SourceLimitOf(kind) || facts_->events.size() >= limits::kEventsPerSource;
  if (!whole && (mine >= limit || full)) {
    facts_->counters.Add(Counter::kDroppedEvents);
    return {this, false};
  }
  ++mine;
  ++source_counts_[k];
  Event e;
  e.offset = line.offset;
  e.line = line.number;
  e.process = process;
  e.tid = line.header.tid;
  e.device = line.header.device;
  e.launcher_rank = line.outer.rank;
  e.kind = kind;
  e.level = line.header.level;
  e.dialect = line.dialect;
  e.nccl_line = line.header.file_line;
  if (!line.header.file.empty()) e.nccl_file = Intern(line.header.file);
  const std::string_view time = line.header.time.empty() ? line.outer.time : line.header.time;
  if (!time.empty()) e.time = Intern(time.substr(0, 64));
  if (!whole) e.text = InternEvidence(line.body);
  e.field_begin = static_cast<uint32_t>(facts_->fields.size());
  facts_->events.push_back(e);
  return {this, true};
}

void FactsBuilder::AddEdge(const Edge& edge, std::string_view text, const ParsedLine& line, uint32_t process) {
  const auto hash_of = [](uint32_t p, int32_t from, int32_t to, char direction, bool gdr, std::string_view transport,
                          std::string_view device) {
    uint64_t h = (uint64_t{p} << 32) ^ static_cast<uint32_t>(from);
    h = Mix64(h) ^ (uint64_t{static_cast<uint32_t>(to)} << 9) ^ static_cast<uint64_t>(direction) ^ (gdr ? 256u : 0u);
    return HashQuickly(device, HashQuickly(transport, h));
  };
  std::vector<ConnectionFacts>& all = facts_->connections;
  const auto equal = [&](uint32_t i) {
    const ConnectionFacts& c = all[i];
    return c.process == process && c.from == edge.from && c.to == edge.to && c.direction == edge.direction &&
           c.gdr == edge.gdr && facts_->Str(c.transport) == edge.transport && facts_->Str(c.device) == edge.device;
  };
  const uint64_t hash = hash_of(process, edge.from, edge.to, edge.direction, edge.gdr, edge.transport, edge.device);
  const uint32_t found = edges_.Find(hash, equal);
  if (found != IndexTable::kEmpty) {
    ++all[found].channels;
    all[found].shared = all[found].shared || edge.shared;
    edge_lines_.Keep(process, text, found);
    return;
  }
  if (all.size() >= limits::kEventsPerKindAndSource) {
    facts_->counters.Add(Counter::kDroppedEvents);
    return;
  }
  ConnectionFacts c;
  c.process = process;
  c.from = edge.from;
  c.to = edge.to;
  c.direction = edge.direction;
  c.transport = Intern(edge.transport);
  c.device = Intern(edge.device);
  c.gdr = edge.gdr;
  c.shared = edge.shared;
  c.channels = 1;
  c.first = {line.number, line.offset, InternEvidence(line.body)};
  if (!c.transport.valid() || !c.device.valid()) return;
  const auto index = static_cast<uint32_t>(all.size());
  all.push_back(c);
  edge_lines_.Keep(process, text, index);
  edges_.Add(hash, index, [&](uint32_t i) {
    const ConnectionFacts& old = all[i];
    return hash_of(old.process, old.from, old.to, old.direction, old.gdr, facts_->Str(old.transport),
                   facts_->Str(old.device));
  });
}

namespace {

uint64_t StreamHash(uint32_t process, uint64_t comm) {
  return Mix64(comm ^ (uint64_t{process} << 48) ^ (process >> 16));
}

// What a call adds to the digest of its stream.
uint64_t StepOf(const CollectiveCall& call) {
  const uint64_t kind = uint64_t{call.operation} | (uint64_t{call.datatype} << 8) | (uint64_t{call.op} << 16) |
                        (uint64_t{static_cast<uint32_t>(call.root)} << 32);
  return Mix64(kind) ^ (call.count * 0x9e3779b97f4a7c15ull);
}

// Every second checkpoint stays.
void Thin(CollectiveStream& s) {
  for (size_t i = 0; i < s.checkpoints.size() / 2; ++i) s.checkpoints[i] = s.checkpoints[2 * i + 1];
  s.checkpoints.resize(s.checkpoints.size() / 2);
  s.interval *= 2;
}

}  // namespace

// The index of a stream that begins with `line`, or kEmpty at a limit.
uint32_t FactsBuilder::NewStream(const Collective& collective, const ParsedLine& line, uint32_t process) {
  std::vector<CollectiveStream>& all = facts_->collectives;
  const size_t slot = process == kNoProcess ? 0 : process + size_t{1};
  if (comm_counts_.size() <= slot) comm_counts_.resize(slot + 1);
  if (comm_counts_[slot] >= limits::kCommunicatorsPerProcess || all.size() >= limits::kCollectiveStreamsPerSource) {
    facts_->counters.Add(Counter::kDroppedCommunicators);
    return IndexTable::kEmpty;
  }
  ++comm_counts_[slot];
  const auto index = static_cast<uint32_t>(all.size());
  CollectiveStream s;
  s.process = process;
  s.comm = Intern(collective.comm_text);
  s.first = {line.number, line.offset, InternEvidence(line.body)};
  all.push_back(std::move(s));
  streams_.push_back({collective.comm, process, collective.from_call});
  collectives_.Add(StreamHash(process, collective.comm), index,
                   [&](uint32_t i) { return StreamHash(streams_[i].process, streams_[i].comm); });
  return index;
}

void FactsBuilder::AddCheckpoint(CollectiveStream& s) {
  s.checkpoints.push_back(s.hash);
  if (s.checkpoints.size() >= limits::kCollectiveCheckpoints) Thin(s);
}

void FactsBuilder::NoteLast(uint32_t stream, const TextPlace& place, bool lasting, bool from_call) {
  if (streams_[stream].from_call != from_call) return;
  LineRef& last = facts_->collectives[stream].last;
  last.line = place.number;
  last.offset = place.offset;
  last_texts_.Set(stream, place.text.substr(0, limits::kEvidenceText), lasting);
}

void FactsBuilder::AddCollective(const Collective& collective, const ParsedLine& line, uint32_t process,
                                 CollLine& known) {
  const auto equal = [&](uint32_t i) { return streams_[i].comm == collective.comm && streams_[i].process == process; };
  uint32_t index = known.stream;
  if (index == IndexTable::kEmpty || !equal(index)) {
    index = collectives_.Find(StreamHash(process, collective.comm), equal);
    if (index == IndexTable::kEmpty) index = NewStream(collective, line, process);
    if (index == IndexTable::kEmpty) return;
    known.stream = index;
  }
  const uint64_t step = StepOf(collective.call);
  known.step = step;
  if (streams_[index].from_call != collective.from_call) return;
  CollectiveStream& s = facts_->collectives[index];
  if (collective.nranks > 0) s.nranks = collective.nranks;
  NoteLast(index, {line.body, line.offset, line.number}, line.lasting, collective.from_call);
  Issue(s, collective.call, collective.call.op_count, line.number, step);
}

void FactsBuilder::Finish() {
  Settle();
  edge_lines_.ForEach([&](uint32_t edge, uint32_t lines) { facts_->connections[edge].channels += lines; });
  for (uint32_t i = 0; i < streams_.size(); ++i) facts_->collectives[i].last.text = Intern(last_texts_.Get(i));
}

}  // namespace ncclwhy
