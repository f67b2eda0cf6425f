// What of each struct of a digest is written to a file: one description, which serves writing and reading
// (digest_coding.h). A new member of a fact is one word here; that changes the format: kDigestFormat in node_digest.h.
//
// A visitor takes the members in order by `v(…)`, and by a name what is more than its value:
//   Place    a line and where it begins: as a distance from the one before
//   Process  of the source, or none
//   Hash     a number in which every bit counts
#pragma once

#include "base/field_coding.h"
#include "read/source_digest.h"

namespace ncclwhy {

// Sizes of the structs are checked where digests are coded (source_coding.cc): a member that is forgotten here does not
// compile there.
void Fields(auto& v, Is<StringId> auto& x) { v.String(x); }

void Fields(auto& v, Is<Counters> auto& x) { v.Counts(x); }

void Fields(auto& v, Is<LineRef> auto& x) {
  v.Place(x.line, x.offset);
  v(x.text);
}

void Fields(auto& v, Is<ProcessFacts> auto& x) {
  v(x.host, x.pid, x.launcher_rank, x.launcher, x.pod, x.lines, x.warns, x.first, x.last, x.last_torn, x.by_stream);
}

void Fields(auto& v, Is<Event> auto& x) {
  v.Place(x.line, x.offset);
  v.Process(x.process);
  v(x.tid, x.device, x.launcher_rank, x.kind, x.level, x.dialect, x.nccl_line, x.nccl_file, x.time, x.text);
  v.Range(x.field_begin, x.field_count);
}

void Fields(auto& v, Is<Field> auto& x) { v(x.id, x.value); }

void Fields(auto& v, Is<ConnectionFacts> auto& x) {
  v.Process(x.process);
  v(x.from, x.to, x.direction, x.transport, x.device, x.gdr, x.shared, x.channels, x.first);
}

void Fields(auto& v, Is<CollectiveCall> auto& x) {
  v(x.op_count, x.count, x.line, x.root, x.operation, x.datatype, x.op);
}

void Fields(auto& v, Is<CollectiveStream> auto& x) {
  v.Process(x.process);
  v(x.comm, x.nranks, x.calls, x.lost, x.p2p_calls, x.interval, x.window, x.p2p_window, x.completed, x.first, x.last);
  v.Hash(x.hash);
  v.Hashes(x.checkpoints);
}

void Fields(auto& v, Is<LineTrail> auto& x) { v(x.count, x.first, x.last, x.every, x.lines); }

void Fields(auto& v, Is<PulsePeak> auto& x) { v(x.line, x.value, x.carried); }

void Fields(auto& v, Is<PulseFacts> auto& x) {
  v.Process(x.process);
  v(x.beats, x.first_value, x.last_value, x.total, x.name, x.last, x.first_time, x.last_time, x.peaks);
}

void Fields(auto& v, Is<WaitFacts> auto& x) {
  v.Process(x.process);
  v(x.first_line, x.last_line, x.seconds, x.last_time);
}

void Fields(auto& v, Is<NewsFacts> auto& x) {
  v.Process(x.process);
  v(x.lines, x.last);
}

void Fields(auto& v, Is<ComplaintFacts> auto& x) {
  v.Process(x.process);
  v(x.line, x.text);
}

void Fields(auto& v, Is<Hit> auto& x) {
  v.Place(x.line, x.offset);
  v.Process(x.process);
  v(x.tid, x.launcher_rank, x.device, x.pattern, x.repeats, x.level, x.text, x.time, x.captures);
}

void Fields(auto& v, Is<CatalogHit> auto& x) {
  v.Place(x.line, x.offset);
  v.Process(x.process);
  v(x.message, x.launcher_rank, x.repeats, x.text);
}

void Fields(auto& v, Is<EnvMention> auto& x) {
  v.Place(x.line, x.offset);
  v(x.variable, x.value, x.text);
}

void Fields(auto& v, Is<SideRow> auto& x) { v(x.line, x.text); }

void Fields(auto& v, Is<MessageCount> auto& x) {
  v.Process(x.process);
  v(x.count, x.line, x.text);
}

void Fields(auto& v, Is<SourcePart> auto& x) { v(x.name, x.first_line, x.line, x.backwards); }

// Texts and processes come before what refers to them.
void Fields(auto& v, Is<SourceDigest> auto& x) {
  auto& f = x.facts;
  v(f.name, f.bytes, f.counters);
  v.Strings(f.strings);
  v(f.processes);
  v.Processes(f.processes.size());
  v(f.fields);
  v.FieldCount(f.fields.size());
  v(f.events, f.connections, f.collectives, f.pulses, f.waits, f.news, f.complaints, f.rows);
  v(x.hits.hits, x.catalog, x.mentions, x.messages, x.parts, x.encoded);
}

}  // namespace ncclwhy
