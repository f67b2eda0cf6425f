// The streams of ProcessTable: lines without a header, by the prefix they came through.
#include <fmt/format.h>

#include "base/limits.h"
#include "base/numbers.h"
#include "parser/facts_builder.h"
#include "parser/process_table.h"

namespace ncclwhy {
namespace {

// A process of 64 ranks is none; what more votes would say changes nothing.
constexpr size_t kMaxVotes = 64;

}  // namespace

// Nearly all lines come through one of the last few streams: they are compared before anything is hashed.
uint32_t ProcessTable::StreamIndex(const OuterPrefix& outer) {
  const std::string_view name = (outer.pod.empty() ? outer.host : outer.pod).substr(0, limits::kStreamName);
  const auto same = [&](const Stream& s) {
    return s.rank == outer.rank && s.local_rank == outer.local_rank && s.task == outer.task && s.pid == outer.pid &&
           s.name == name;
  };
  // Cheap and good enough: eight places, by what differs between neighbours.
  const size_t place =
      name.size() ^ static_cast<size_t>(name.empty() ? 0 : name.back()) ^ static_cast<size_t>(outer.rank);
  uint32_t& latest = latest_streams_[place % latest_streams_.size()];
  if (latest < streams_.size() && same(streams_[latest])) return latest;
  // The task is part of it: under one label of srun several torchrun ranks print.
  const uint64_t numbers =
      (uint64_t{static_cast<uint32_t>(outer.rank)} << 32) | static_cast<uint32_t>(outer.local_rank);
  const uint64_t hash =
      HashBytes(name, Mix64(Mix64(numbers) ^ static_cast<uint32_t>(outer.task)) ^ static_cast<uint64_t>(outer.pid));
  const uint32_t found = by_stream_.Find(hash, [&](uint32_t i) { return same(streams_[i]); });
  if (found != IndexTable::kEmpty) return latest = found;
  Stream s;
  s.rank = outer.rank;
  s.local_rank = outer.local_rank;
  s.task = outer.task;
  s.pid = outer.pid;
  s.name.assign(name);
  s.hash = hash;
  const uint32_t added = AddStream(std::move(s));
  if (added != UINT32_MAX) latest = added;
  return added;
}

// UINT32_MAX at the limit.
uint32_t ProcessTable::AddStream(Stream&& stream) {
  if (streams_.size() >= limits::kProcessesPerSource) {
    facts_->counters.Add(Counter::kDroppedProcesses);
    return UINT32_MAX;
  }
  const uint64_t hash = stream.hash;
  streams_.push_back(std::move(stream));
  const auto index = static_cast<uint32_t>(streams_.size() - 1);
  by_stream_.Add(hash, index, [&](uint32_t i) { return streams_[i].hash; });
  return index;
}

// A stream of another segment: the same prefix, but whose it is here is not known yet.
// What a segment found out of a stream's owner is joined by the numbers of its processes, not by those here.
uint32_t ProcessTable::FindOrAddStream(const Stream& stream) {
  const uint32_t found = by_stream_.Find(stream.hash, [&](uint32_t i) { return streams_[i].Is(stream); });
  if (found != IndexTable::kEmpty) return found;
  Stream s = stream;
  s.entry = kNoProcess;
  s.owner = kNoProcess;
  s.ambiguous = false;
  s.rank_said = false;
  return AddStream(std::move(s));
}

// `[1,3]<stdout>:node3:4711:4801 [2] NCCL INFO …`: what comes through this prefix without a header is 4711's.
void ProcessTable::LinkStream(uint32_t process, const OuterPrefix& outer, uint32_t lines) {
  const uint32_t index = StreamIndex(outer);
  if (index == UINT32_MAX) return;
  NoteStream(index, outer);
  // Two processes through one prefix: what has no header is then neither's.
  streams_[index].Own(process);
  if (!outer.any) {
    plain_ = process;
    plain_ambiguous_ = streams_[index].ambiguous;
    return;
  }
  // The first pod that is named stays; a process does not move.
  if (!outer.pod.empty() && !facts_->processes[process].pod.valid()) {
    facts_->processes[process].pod = builder_->Intern(outer.pod);
  }
  NoteRank(process, outer, lines);
}

// `[1,3]<stdout>:Traceback (most recent call last):`
uint32_t ProcessTable::OfStream(const OuterPrefix& outer) {
  const uint32_t index = StreamIndex(outer);
  if (index == UINT32_MAX) return kNoProcess;
  NoteStream(index, outer);
  Stream& s = streams_[index];
  // An entry of its own at first: whether headers come through this prefix is known at the end only.
  if (s.entry == kNoProcess) {
    s.entry = AddEntry();
    if (s.entry == kNoProcess) return kNoProcess;
    entries_[s.entry].stream = index;
    ProcessFacts& p = facts_->processes[s.entry];
    p.pid = outer.pid;
    if (!outer.host.empty()) p.host = builder_->Intern(outer.host);
    if (!outer.pod.empty()) p.pod = builder_->Intern(outer.pod);
  }
  NoteRank(s.entry, outer);
  return s.entry;
}

// The number right in front of " in world size ".
void ProcessTable::SaysRank(uint32_t process, std::string_view text) {
  const size_t world = process == kNoProcess ? std::string_view::npos : text.find(" in world size ");
  const size_t rank = world == std::string_view::npos ? world : text.substr(0, world).rfind("rank ");
  if (rank == std::string_view::npos) return;
  const std::string_view number = text.substr(rank + 5, world - rank - 5);
  // `rank 10 (local 2) in world size 16` has more than a number between: no vote.
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return;
  if (const auto said = ParseInt<int32_t>(number)) Vote(entries_[process], *said);
}

void ProcessTable::NoteStream(uint32_t stream, const OuterPrefix& outer) {
  if (!outer.rank_said) return;
  streams_[stream].rank_said = true;
  labels_are_tasks_ = labels_are_tasks_ || (outer.task >= 0 && outer.rank != outer.task);
}

// One torchrun under each label of srun: its own lines, and those of ranks that do not say which they are, belong to no
// rank but to a task.
void ProcessTable::NameTasks() {
  // A task under which some line named its own rank keeps that one; the others are the launcher's.
  for (const Stream& s : streams_) {
    if (s.entry == kNoProcess || s.task < 0 || s.rank_said) continue;
    ProcessFacts& p = facts_->processes[s.entry];
    p.launcher_rank = -1;
    if (!p.pod.valid()) p.pod = builder_->Intern(fmt::format("task {}", s.task));
  }
}

void ProcessTable::NoteRank(uint32_t process, const OuterPrefix& outer, uint32_t lines) {
  // Which launcher labels a process is taken from the latest of its lines: they do not change within a job.
  if (outer.launcher != LauncherLabel::kNone) facts_->processes[process].launcher = outer.launcher;
  if (outer.rank >= 0) Vote(entries_[process], outer.rank, lines);
}

// One rank has nearly all votes, so the latest is asked first; a stream that says 65 different ranks says none.
void ProcessTable::Vote(Entry& e, int32_t rank, uint32_t lines) {
  if (e.vote < e.votes.size() && e.votes[e.vote].first == rank) {
    e.votes[e.vote].second += lines;
    return;
  }
  for (size_t i = 0; i < e.votes.size(); ++i) {
    if (e.votes[i].first != rank) continue;
    e.vote = static_cast<uint32_t>(i);
    e.votes[i].second += lines;
    return;
  }
  if (e.votes.size() >= kMaxVotes) return;
  e.vote = static_cast<uint32_t>(e.votes.size());
  e.votes.emplace_back(rank, lines);
}

}  // namespace ncclwhy
