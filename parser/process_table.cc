#include "parser/process_table.h"

#include <algorithm>
#include <unordered_map>

#include "base/limits.h"
#include "parser/facts_builder.h"
#include "parser/scan.h"
#include "parser/segment_translation.h"

namespace ncclwhy {
namespace {

// Hosts that a glued or cut name is compared with.
constexpr size_t kMaxFitted = 4096;

uint64_t HeaderHash(std::string_view host, uint64_t pid) { return HashBytes(host, pid); }

// `  0node07:4711:4802 [3] NCCL INFO …`: rows of nccl-tests end in numbers, and stdout and stderr share a file.
// True when `head` may be the end of a table row, `  0` or `-1`, that was written without a newline.
bool IsNumberTail(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) { return scan::IsDigit(c) || c == '-'; });
}

}  // namespace

// A segment begins with what the first one knows: its processes have the same numbers, and no line yet.
ProcessTable::ProcessTable(const ProcessTable& before, SourceFacts* facts, FactsBuilder* builder)
    : facts_(facts),
      builder_(builder),
      torn_before_(before.AnyTorn()),
      seeded_(static_cast<uint32_t>(before.entries_.size())),
      entries_(before.entries_),
      streams_(before.streams_),
      hosts_(before.hosts_),
      by_header_(before.by_header_),
      by_host_(before.by_host_),
      by_stream_(before.by_stream_),
      plain_(before.plain_),
      plain_ambiguous_(before.plain_ambiguous_),
      latest_streams_(before.latest_streams_) {
  facts_->processes.resize(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].votes.clear();
    entries_[i].vote = 0;
    entries_[i].last_text.clear();
    const ProcessFacts& known = before.facts_->processes[i];
    ProcessFacts& p = facts_->processes[i];
    p.pid = known.pid;
    if (known.host.valid()) p.host = builder_->Intern(before.facts_->Str(known.host));
    if (known.pod.valid()) p.pod = builder_->Intern(before.facts_->Str(known.pod));
  }
}

bool ProcessTable::AnyTorn() const { return torn_before_ || facts_->counters.Get(Counter::kDamaged) > 0; }

// The facts and what is remembered beside them grow together.
uint32_t ProcessTable::AddEntry() {
  if (facts_->processes.size() >= limits::kProcessesPerSource) {
    facts_->counters.Add(Counter::kDroppedProcesses);
    return kNoProcess;
  }
  facts_->processes.emplace_back();
  entries_.emplace_back();
  return static_cast<uint32_t>(entries_.size() - 1);
}

bool ProcessTable::IsKnownHost(std::string_view host) const {
  return by_host_.Find(HashBytes(host, 0), [&](uint32_t i) { return hosts_[i] == host; }) != IndexTable::kEmpty;
}

// True when `head` may be the rest of a header that was cut off inside its host: `ston` + `stone:2984738:…`.
bool ProcessTable::IsCutHost(std::string_view head) const {
  for (size_t i = 0; i < std::min(hosts_.size(), kMaxFitted); ++i) {
    if (scan::StartsWith(hosts_[i], head)) return true;
  }
  return false;
}

// What the host really is: `-1mew0` → mew0 (a table row glued in front), `s25b0n0` → x3006c0s25b0n0 (its head is cut).
std::string_view ProcessTable::FitHost(std::string_view host, uint32_t pid, bool clean) const {
  if (IsKnownHost(host)) return host;
  const auto same_pid = [&](std::string_view known) {
    return by_header_.Find(HeaderHash(known, pid), [&](uint32_t i) {
      // Kept apart from the hosts: the same host has many pids, and a pid may be on many hosts.
      return facts_->processes[i].pid == pid && entries_[i].host == known;
    }) != IndexTable::kEmpty;
  };
  std::string_view best;
  for (size_t i = 0; i < std::min(hosts_.size(), kMaxFitted); ++i) {
    const std::string& known = hosts_[i];
    // The longest host that fits: of node1 and gpu-node1 the latter, which ends in the former.
    if (known.empty() || known.size() <= best.size()) continue;
    if (scan::EndsWith(host, known)) {
      const std::string_view head = host.substr(0, host.size() - known.size());
      // In mid-line anything may be glued; at the beginning of a line only the tail of a number or a cut host is.
      if (!clean || (same_pid(known) && (IsNumberTail(head) || IsCutHost(head)))) best = known;
    } else if (!host.empty() && scan::EndsWith(known, host) && same_pid(known)) {
      // A believed host that is a piece of another one is rare: only a log with damaged lines may have it.
      if (!clean || AnyTorn()) best = known;
    }
  }
  return best.empty() ? host : best;
}

// A process and the stream it writes through learn from each other: later lines without a header are its.
uint32_t ProcessTable::OfHeader(NcclHeader& header, bool clean, const OuterPrefix& outer) {
  const uint32_t index = OfHost(header, clean);
  if (index != kNoProcess) Link(index, outer);
  return index;
}

// A host that is not believed yet is compared with those that are: it may be one of them, torn.
uint32_t ProcessTable::OfHost(NcclHeader& header, bool clean) {
  std::string_view host = header.host;
  uint64_t hash = HeaderHash(host, header.pid);
  const auto equal = [&](uint32_t i) { return facts_->processes[i].pid == header.pid && entries_[i].host == host; };
  uint32_t index = by_header_.Find(hash, equal);
  if (index == IndexTable::kEmpty || !entries_[index].believed) {
    host = FitHost(header.host, header.pid, clean);
    if (host != header.host) {
      // Fitted, so it is no beginning of a line any more: it must not be believed for its own sake.
      clean = false;
      header.host = host;
      hash = HeaderHash(host, header.pid);
      index = by_header_.Find(hash, equal);
    }
  }
  if (index == IndexTable::kEmpty) {
    index = AddEntry();
    if (index == kNoProcess) return kNoProcess;
    Entry& e = entries_[index];
    e.host.assign(host);
    e.header = true;
    facts_->processes[index].pid = header.pid;
    if (!host.empty()) facts_->processes[index].host = builder_->Intern(host);
    by_header_.Add(hash, index, [&](uint32_t i) {
      return HeaderHash(entries_[i].host, static_cast<uint64_t>(facts_->processes[i].pid));
    });
  }
  if (clean) Believe(entries_[index]);
  return index;
}

void ProcessTable::Believe(Entry& e) {
  if (e.believed) return;
  e.believed = true;
  if (IsKnownHost(e.host)) return;
  hosts_.push_back(e.host);
  by_host_.Add(HashBytes(e.host, 0), static_cast<uint32_t>(hosts_.size() - 1),
               [&](uint32_t i) { return HashBytes(hosts_[i], 0); });
}

// The entry here of one that is new in the segment.
uint32_t ProcessTable::FindEntry(const ProcessTable& segment, uint32_t index) {
  const Entry& theirs = segment.entries_[index];
  const ProcessFacts& facts = segment.facts_->processes[index];
  if (theirs.header) {
    NcclHeader header;
    header.host = theirs.host;
    header.pid = static_cast<uint32_t>(facts.pid);
    return OfHost(header, theirs.believed);
  }
  const uint32_t stream = FindOrAddStream(segment.streams_[theirs.stream]);
  if (stream == UINT32_MAX) return kNoProcess;
  if (streams_[stream].entry != kNoProcess) return streams_[stream].entry;
  const uint32_t added = AddEntry();
  if (added == kNoProcess) return kNoProcess;
  streams_[stream].entry = added;
  entries_[added].stream = stream;
  facts_->processes[added].pid = facts.pid;
  if (facts.host.valid()) facts_->processes[added].host = builder_->Intern(segment.facts_->Str(facts.host));
  return added;
}

// Numbers add up; what was first stays, what is last is the segment's.
void ProcessTable::JoinEntry(const ProcessTable& segment, uint32_t index, SegmentTranslation& in_source) {
  const uint32_t mine = index < segment.seeded_ ? index : FindEntry(segment, index);
  in_source.SetProcess(index, mine);
  if (mine == kNoProcess) return;
  const Entry& theirs = segment.entries_[index];
  const ProcessFacts& facts = segment.facts_->processes[index];
  ProcessFacts& p = facts_->processes[mine];
  if (theirs.believed && entries_[mine].host == theirs.host) Believe(entries_[mine]);
  // A header that began a line in the segment makes the host believed here as well, and later torn names fit to it.
  for (const auto& [rank, lines] : theirs.votes) Vote(entries_[mine], rank, lines);
  if (!p.pod.valid()) p.pod = in_source.Text(facts.pod);
  if (facts.launcher != LauncherLabel::kNone) p.launcher = facts.launcher;
  if (facts.lines == 0) return;
  if (p.lines == 0) p.first = in_source.Ref(facts.first);
  p.lines += facts.lines;
  p.warns += facts.warns;
  p.last.line = in_source.Line(facts.last.line);
  p.last.offset = facts.last.offset;
  p.last_torn = facts.last_torn;
  entries_[mine].last_text = theirs.last_text;
}

void ProcessTable::Join(const ProcessTable& segment, SegmentTranslation& in_source) {
  for (uint32_t i = 0; i < segment.entries_.size(); ++i) JoinEntry(segment, i, in_source);
  for (const Stream& theirs : segment.streams_) {
    const uint32_t index = FindOrAddStream(theirs);
    if (index == UINT32_MAX) continue;
    Stream& s = streams_[index];
    // The owner has another number here: JoinEntry has told it to `in_source` before.
    const uint32_t owner = in_source.Process(theirs.owner);
    if (owner != kNoProcess) s.Own(owner);
    s.ambiguous = s.ambiguous || theirs.ambiguous;
    s.rank_said = s.rank_said || theirs.rank_said;
  }
  labels_are_tasks_ = labels_are_tasks_ || segment.labels_are_tasks_;
}

void ProcessTable::NoteFirst(ProcessFacts& process, const TextPlace& place) {
  process.first = {place.number, place.offset, builder_->InternEvidence(place.text)};
}

// Warnings are counted here, once a line, whatever becomes of the text.
void ProcessTable::CountLine(uint32_t process, const ParsedLine& line) {
  if (process == kNoProcess) return;
  const TextPlace place{line.body, line.offset, line.number};
  CountRun(process, place, place, 1);
  facts_->processes[process].last_torn = line.torn;
  if (line.header.level == LogLevel::kWarn || line.header.level == LogLevel::kAbort) ++facts_->processes[process].warns;
}

// Hosts that were only ever seen in mid-line or hardly at all: the rest of a believed one, or never a host.
void ProcessTable::FitProvisional() {
  // Less than three lines: a real process says more. Ten lines: by these a process is taken for a real one, to which a
  // torn name may be fitted.
  constexpr uint64_t kFew = 3;
  constexpr uint64_t kMany = 10;
  const bool any_believed = std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.believed; });
  if (!any_believed) return;
  const bool torn = AnyTorn();
  struct Owner {
    const Entry* entry = nullptr;
    size_t count = 0;
  };
  std::unordered_map<int64_t, Owner> owners_of;  // pid → who has it for sure; nobody who is fitted below
  // By host: how many processes headers named on it.
  std::unordered_map<std::string_view, size_t> headers_of;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].header) continue;
    ++headers_of[entries_[i].host];
    if (facts_->processes[i].lines < kMany) continue;
    Owner& owner = owners_of[facts_->processes[i].pid];
    owner.entry = &entries_[i];
    ++owner.count;
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& e = entries_[i];
    ProcessFacts& p = facts_->processes[i];
    if (!e.header || p.lines >= kFew || (e.believed && !torn)) continue;
    if (!e.believed) {
      const std::string_view fitted = FitHost(e.host, static_cast<uint32_t>(p.pid), false);
      if (fitted != e.host) {
        p.host = builder_->Intern(fitted);
        continue;
      }
      if (IsKnownHost(e.host)) continue;
    }
    // `xn0` of x3006c0s19b1n0: a piece of the host is lost. The pid tells, if only one process has it.
    const auto found = owners_of.find(p.pid);
    const size_t owners = found == owners_of.end() ? 0 : found->second.count;
    const size_t same_host = headers_of[e.host] - 1;
    // Small pids recur in containers; a large one does not recur on another host by chance.
    constexpr int64_t kContainerPids = 4096;
    if (same_host > 0 && (owners != 1 || p.pid < kContainerPids)) continue;
    if (owners == 1) {
      p.host = builder_->Intern(found->second.entry->host);
    } else if (!e.believed) {
      p.host = StringId{};
      p.pid = -1;
    }
  }
}

void ProcessTable::Finish(bool trust_labels) {
  FitProvisional();
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& e = entries_[i];
    ProcessFacts& p = facts_->processes[i];
    p.last.text = builder_->Intern(e.last_text);
    if (trust_labels && !e.votes.empty()) {
      const auto most = std::max_element(e.votes.begin(), e.votes.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      // Most lines, not the latest: one line with a wrong label must not rename a process.
      p.launcher_rank = most->first;
    }
  }
  if (labels_are_tasks_ && trust_labels) NameTasks();
  // (VllmWorker rank=1 pid=2514): the process that headers name with this pid, if there is exactly one.
  std::unordered_map<int64_t, uint32_t> with_pid;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].header) continue;
    const auto [it, first] = with_pid.try_emplace(facts_->processes[i].pid, static_cast<uint32_t>(i));
    if (!first) it->second = kNoProcess;
  }
  for (const Stream& s : streams_) {
    if (s.entry == kNoProcess) continue;
    ProcessFacts& p = facts_->processes[s.entry];
    uint32_t owner = s.ambiguous ? kNoProcess : s.owner;
    if (owner == kNoProcess && s.pid >= 0) {
      const auto it = with_pid.find(s.pid);
      if (it != with_pid.end()) owner = it->second;
      // `gpu-a17 job[4711]: ` in front of the lines of several processes: their launcher's.
      if (owner == kNoProcess && s.ambiguous) {
        p.pid = -1;
        p.host = {};
      }
    }
    if (owner == kNoProcess) continue;
    // Lines of Ray and vLLM name their own pid: these are no guess from the stream.
    p.by_stream = p.pid < 0;
    p.host = facts_->processes[owner].host;
    p.pid = facts_->processes[owner].pid;
  }
}

}  // namespace ncclwhy
