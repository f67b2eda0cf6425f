#include "parser/facts_builder.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "parser/segment_translation.h"

namespace ncclwhy {
namespace {

constexpr size_t kKinds = static_cast<size_t>(EventKind::kApplication) + 1;

// How many events of a kind one process may add. State that is joined later gets room; text-only kinds little.
uint32_t LimitOf(EventKind kind) {
  switch (kind) {
    case EventKind::kCommInitStart:
    case EventKind::kCommInitComplete:
    case EventKind::kCommTopology:
    case EventKind::kProcessGroup:
    case EventKind::kInitTimings:
    case EventKind::kCommAbort:
    case EventKind::kCommDestroy:
    case EventKind::kCommRevoke:
      return static_cast<uint32_t>(limits::kCommunicatorsPerProcess);
    // Each variable that is set has a line of its own, and each of them may be the one that explains.
    case EventKind::kEnvironment:
      return 512;
    // Bounded by --timeline full alone, which asks for every call; without it no such event is made.
    case EventKind::kCollective:
      return UINT32_MAX;
    // Only shown, never joined: the first lines tell the kind, eight of them do.
    case EventKind::kTopology:
    case EventKind::kProxy:
    case EventKind::kRegistration:
    case EventKind::kCall:
      return 8;
    default:
      return limits::kEventsPerKindAndProcess;
  }
}

// What the job model joins has a limit of its own: a communicator costs it much more than a line of text.
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

// Slot 0 is that of lines without a process. With `--timeline full` all calls are kept, whatever there is room for.
bool FactsBuilder::CountEvent(EventKind kind, uint32_t process) {
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
    return false;
  }
  ++mine;
  ++source_counts_[k];
  return true;
}

// The message's own time before that of a launcher: the latter is when the line went through a pipe.
EventWriter FactsBuilder::Begin(EventKind kind, const ParsedLine& line, uint32_t process) {
  if (!CountEvent(kind, process)) return {this, false};
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
  if (kind != EventKind::kCollective) e.text = InternEvidence(line.body);
  e.field_begin = static_cast<uint32_t>(facts_->fields.size());
  facts_->events.push_back(e);
  return {this, true};
}

void FactsBuilder::AddEdge(const Edge& edge, const ParsedLine& line, uint32_t process) {
  const uint32_t index = EdgeOf(edge, process);
  if (index == IndexTable::kEmpty) return;
  ConnectionFacts& c = facts_->connections[index];
  if (c.channels++ == 0) c.first = {line.number, line.offset, InternEvidence(line.body)};
  c.shared = c.shared || edge.shared;
  folded_edge_ = index;
}

// Fields are part of an edge's identity as texts, not as ids: an id is not known before the text is in the pool.
uint32_t FactsBuilder::EdgeOf(const Edge& edge, uint32_t process) {
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
  if (found != IndexTable::kEmpty) return found;
  if (all.size() >= limits::kEventsPerKindAndSource) {
    facts_->counters.Add(Counter::kDroppedEvents);
    return IndexTable::kEmpty;
  }
  ConnectionFacts c;
  c.process = process;
  c.from = edge.from;
  c.to = edge.to;
  c.direction = edge.direction;
  c.transport = Intern(edge.transport);
  c.device = Intern(edge.device);
  c.gdr = edge.gdr;
  if (!c.transport.valid() || !c.device.valid()) return IndexTable::kEmpty;
  const auto index = static_cast<uint32_t>(all.size());
  all.push_back(c);
  edges_.Add(hash, index, [&](uint32_t i) {
    const ConnectionFacts& old = all[i];
    return hash_of(old.process, old.from, old.to, old.direction, old.gdr, facts_->Str(old.transport),
                   facts_->Str(old.device));
  });
  return index;
}

namespace {

// Mixed: processes count by one, and pointers of communicators share most of their bits.
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

// In a segment the two kinds of lines have a stream each: which one counts is told by the beginning of the source.
uint32_t FactsBuilder::FindStream(uint64_t comm, uint32_t process, bool from_call) {
  const auto is = [&](uint32_t i) {
    const StreamState& s = streams_[i];
    return s.comm == comm && s.process == process && (!segment_ || s.from_call == from_call);
  };
  uint32_t& latest = StreamsOf(process).latest;
  if (latest < streams_.size() && is(latest)) return latest;
  const uint32_t found = collectives_.Find(StreamHash(process, comm), is);
  if (found != IndexTable::kEmpty) latest = found;
  return found;
}

// The index of a stream that begins with `first`, or kEmpty at a limit.
uint32_t FactsBuilder::NewStream(const StreamState& stream, std::string_view comm_text, const LineRef& first) {
  std::vector<CollectiveStream>& all = facts_->collectives;
  OfProcess& process = StreamsOf(stream.process);
  const size_t kinds = segment_ ? 2 : 1;
  if (process.streams >= limits::kCommunicatorsPerProcess * kinds ||
      all.size() >= limits::kCollectiveStreamsPerSource * kinds) {
    facts_->counters.Add(Counter::kDroppedCommunicators);
    return IndexTable::kEmpty;
  }
  ++process.streams;
  const auto index = static_cast<uint32_t>(all.size());
  CollectiveStream s;
  s.process = stream.process;
  s.comm = Intern(comm_text);
  s.first = first;
  all.push_back(std::move(s));
  streams_.push_back(stream);
  collectives_.Add(StreamHash(stream.process, stream.comm), index,
                   [&](uint32_t i) { return StreamHash(streams_[i].process, streams_[i].comm); });
  return index;
}

void FactsBuilder::Lose(StreamState& state, CollectiveStream& s, uint64_t calls) const {
  s.lost += calls;
  // A longer gap is a number that was damaged, or the greater part of a log that is missing: no places are kept then.
  if (calls > limits::kCollectiveWindow) return;
  for (; calls > 0; --calls) {
    const auto at = static_cast<size_t>(s.calls % limits::kCollectiveWindow);
    if (s.window.size() <= at) s.window.resize(at + 1);
    s.window[at] = {};
    ++s.calls;
    if (segment_) {
      state.steps.push_back(0);
    } else {
      Digest(s, s.calls, 0);
    }
  }
}

void FactsBuilder::Issue(StreamState& state, CollectiveStream& s, const CollectiveCall& call) {
  static_assert(kCollectiveNames[6] == "Send" && kCollectiveNames[7] == "Recv");
  const bool p2p = call.operation == 6 || call.operation == 7;
  // TRACE lines name no opCount that could have a gap.
  if (!state.from_call) {
    if (!p2p && call.op_count > state.next_number) Lose(state, s, call.op_count - state.next_number);
    // `first_number` of a segment lets Join see a gap that lies across its border.
    if (s.calls + s.p2p_calls == 0 && !p2p) state.first_number = call.op_count;
    state.next_number = p2p ? UINT64_MAX : call.op_count + 1;
  }
  std::vector<CollectiveCall>& window = p2p ? s.p2p_window : s.window;
  uint64_t& calls = p2p ? s.p2p_calls : s.calls;
  const auto at = static_cast<size_t>(calls % limits::kCollectiveWindow);
  ++calls;
  if (window.size() <= at) window.resize(at + 1);
  window[at] = call;
  if (p2p) return;
  if (segment_) {
    state.steps.push_back(StepOf(call));
  } else {
    Digest(s, calls, StepOf(call));
  }
}

void FactsBuilder::AddCheckpoint(CollectiveStream& s) {
  s.checkpoints.push_back(s.hash);
  if (s.checkpoints.size() >= limits::kCollectiveCheckpoints) Thin(s);
}

void FactsBuilder::NoteLast(uint32_t stream, const TextPlace& place, bool from_call) {
  if (streams_[stream].from_call != from_call) return;
  LineRef& last = facts_->collectives[stream].last;
  last.line = place.number;
  last.offset = place.offset;
  streams_[stream].last_text.assign(place.text.substr(0, limits::kEvidenceText));
}

void FactsBuilder::AddCollective(const Collective& collective, const ParsedLine& line, uint32_t process) {
  const uint32_t stream = AddCall(collective, line, process);
  if (stream == IndexTable::kEmpty) return;
  NoteLast(stream, {line.body, line.offset, line.number}, collective.from_call);
}

uint32_t FactsBuilder::AddCall(const Collective& collective, const ParsedLine& line, uint32_t process) {
  uint32_t index = FindStream(collective.comm, process, collective.from_call);
  if (index == IndexTable::kEmpty) {
    const LineRef first{line.number, line.offset, InternEvidence(line.body)};
    StreamState stream;
    stream.comm = collective.comm;
    stream.process = process;
    stream.from_call = collective.from_call;
    index = NewStream(stream, collective.comm_text, first);
  }
  // A stream that began with the other kind of line: this one says a call a second time.
  if (index == IndexTable::kEmpty || streams_[index].from_call != collective.from_call) return IndexTable::kEmpty;
  CollectiveStream& s = facts_->collectives[index];
  if (collective.nranks > 0) s.nranks = collective.nranks;
  Issue(streams_[index], s, collective.call);
  return index;
}

void FactsBuilder::JoinEvents(const SourceFacts& segment, SegmentTranslation& in_source) {
  for (const Event& event : segment.events) {
    const uint32_t process = in_source.Process(event.process);
    if (!CountEvent(event.kind, process)) continue;
    Event e = event;
    e.process = process;
    e.line = in_source.Line(event.line);
    e.nccl_file = in_source.Text(event.nccl_file);
    e.time = in_source.Text(event.time);
    e.text = in_source.Text(event.text);
    e.field_begin = static_cast<uint32_t>(facts_->fields.size());
    e.field_count = 0;
    for (uint32_t i = 0; i < event.field_count; ++i) {
      const Field& field = segment.fields[event.field_begin + i];
      const StringId value = in_source.Text(field.value);
      if (!value.valid()) continue;
      facts_->fields.push_back({field.id, value});
      ++e.field_count;
    }
    facts_->events.push_back(e);
  }
}

// Channels add up; of what both parts say first, the earlier one counts.
void FactsBuilder::JoinEdges(const SourceFacts& segment, SegmentTranslation& in_source) {
  for (const ConnectionFacts& connection : segment.connections) {
    const Edge edge{connection.from,
                    connection.to,
                    connection.direction,
                    segment.Str(connection.transport),
                    segment.Str(connection.device),
                    connection.gdr,
                    connection.shared};
    const uint32_t index = EdgeOf(edge, in_source.Process(connection.process));
    if (index == IndexTable::kEmpty) continue;
    ConnectionFacts& c = facts_->connections[index];
    if (c.channels == 0) c.first = in_source.Ref(connection.first);
    c.channels += connection.channels;
    c.shared = c.shared || edge.shared;
  }
}

// A segment has noted what each call adds to the digest, not the digest: its beginning was not known. Now it is.
void FactsBuilder::JoinStream(const FactsBuilder& segment, uint32_t index, SegmentTranslation& in_source) {
  const CollectiveStream& from = segment.facts_->collectives[index];
  const StreamState& said = segment.streams_[index];
  const uint32_t process = in_source.Process(from.process);
  uint32_t stream = FindStream(said.comm, process, said.from_call);
  if (stream == IndexTable::kEmpty) {
    StreamState begun;
    begun.comm = said.comm;
    begun.process = process;
    begun.from_call = said.from_call;
    stream = NewStream(begun, segment.facts_->Str(from.comm), in_source.Ref(from.first));
  }
  if (stream == IndexTable::kEmpty || streams_[stream].from_call != said.from_call) return;
  CollectiveStream& into = facts_->collectives[stream];
  if (from.nranks > 0) into.nranks = from.nranks;
  StreamState& state = streams_[stream];
  // The border of the segments hides no gap: as if the lines stood behind one another in one segment.
  if (said.first_number > state.next_number) Lose(state, into, said.first_number - state.next_number);
  state.next_number = said.next_number;
  into.lost += from.lost;
  const auto join_window = [&](const std::vector<CollectiveCall>& calls, uint64_t count,
                               std::vector<CollectiveCall>& window, uint64_t before) {
    for (uint64_t i = count - calls.size(); i < count; ++i) {
      const auto at = static_cast<size_t>((before + i) % limits::kCollectiveWindow);
      if (window.size() <= at) window.resize(at + 1);
      window[at] = calls[static_cast<size_t>(i % limits::kCollectiveWindow)];
      window[at].line = in_source.Line(window[at].line);
    }
  };
  join_window(from.window, from.calls, into.window, into.calls);
  join_window(from.p2p_window, from.p2p_calls, into.p2p_window, into.p2p_calls);
  into.p2p_calls += from.p2p_calls;
  for (const uint64_t step : said.steps) Digest(into, ++into.calls, step);
  const TextPlace last{said.last_text, from.last.offset, in_source.Line(from.last.line)};
  NoteLast(stream, last, said.from_call);
}

void FactsBuilder::Join(const FactsBuilder& segment, SegmentTranslation& in_source) {
  JoinEvents(*segment.facts_, in_source);
  JoinEdges(*segment.facts_, in_source);
  for (uint32_t i = 0; i < segment.streams_.size(); ++i) JoinStream(segment, i, in_source);
}

void FactsBuilder::Finish() {
  for (size_t i = 0; i < streams_.size(); ++i) facts_->collectives[i].last.text = Intern(streams_[i].last_text);
}

}  // namespace ncclwhy
