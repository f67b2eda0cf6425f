#include "job/communicator_tracker.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "base/limits.h"
#include "base/numbers.h"
#include "base/rank_list.h"
#include "job/world_ranks.h"

namespace ncclwhy {
namespace {

// One communicator as one process knows it.
struct Instance {
  ProcessId process;
  Rank rank;
  std::string_view comm_id;
  std::string_view parent_comm;  // pointer
  std::string_view split_count;
  std::string_view color;
  std::string_view members;  // "8-11,14" where somebody listed them
  int64_t nnodes = -1;
  uint32_t ordinal = 0;  // how many communicators of this size the process had before
  CommId joined;
};

class CommunicatorTracker {
 public:
  explicit CommunicatorTracker(JobModel& model) : model_(model) {}

  void Run() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) ReadSource(s);
    AttachStreams();
    AttachEdges();
    Join();
    for (size_t n = 0; n < model_.edges.size(); ++n) {
      if (edge_instance_[n] != kNone) model_.edges[n].comm = instances_[edge_instance_[n]].joined;
    }
    Finish();
  }

 private:
  using Key = std::pair<ProcessId, std::string_view>;  // process, pointer

  int32_t IntField(const SourceFacts& f, const Event& e, FieldId id) const {
    return ParseInt<int32_t>(f.Get(e, id)).value_or(-1);
  }

  // The process's newest communicator at that pointer, or null.
  Instance* FindOrNull(ProcessId process, std::string_view comm) {
    const auto it = by_pointer_.find({process, comm});
    return it == by_pointer_.end() ? nullptr : &instances_[it->second];
  }

  // A new one, which has the pointer from now on: NCCL uses the memory of freed communicators again.
  Instance& Create(ProcessId process, std::string_view comm, int32_t rank, int64_t nranks) {
    Instance i;
    i.process = process;
    i.rank.process = process;
    i.rank.comm = comm;
    i.rank.rank = rank;
    i.rank.nranks = nranks;
    i.rank.seen = true;
    i.rank.host = model_.processes[process.value].host;
    i.ordinal = ordinals_[{process, nranks, rank}]++;
    by_pointer_[{process, comm}] = instances_.size();
    by_process_[process].push_back(instances_.size());
    instances_.push_back(i);
    return instances_.back();
  }

  // Events in line order: what a line without a pointer means depends on the lines before it.
  void ReadSource(uint32_t s) {
    const SourceFacts& facts = *model_.sources[s];
    for (const Event& e : facts.events) {
      const ProcessId id = model_.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
      if (!id.valid()) continue;
      ReadEvent(s, facts, e, id);
    }
  }

  static void Reach(Instance& i, Stage stage) { i.rank.reached = std::max(i.rank.reached, stage); }

  // Lines without a communicator pointer belong to the one that is being built.
  Instance* CurrentOrNull(ProcessId process) {
    const auto it = current_.find(process);
    return it == current_.end() ? nullptr : &instances_[it->second];
  }

  void ReadEvent(uint32_t s, const SourceFacts& f, const Event& e, ProcessId id) {
    Process& p = model_.processes[id.value];
    const Place place{SourceId{s}, e.line, e.offset, f.Str(e.text)};
    const std::string_view comm = f.Get(e, FieldId::kComm);
    switch (e.kind) {
      case EventKind::kVersion:
        if (p.nccl_version.empty()) {
          p.nccl_version = f.Get(e, FieldId::kVersion);
          p.cuda_version = f.Get(e, FieldId::kCuda);
        }
        break;
      case EventKind::kDriverVersion:
        p.driver_version = f.Get(e, FieldId::kVersion);
        break;
      case EventKind::kEnvironment:
        p.environment.emplace(f.Get(e, FieldId::kVariable), std::make_pair(f.Get(e, FieldId::kValue), place));
        break;
      case EventKind::kBootstrapInterface:
        p.bootstrap.interface = f.Get(e, FieldId::kInterface);
        p.bootstrap.address = f.Get(e, FieldId::kAddress);
        break;
      case EventKind::kNetDevices:
        if (p.net.devices.empty()) {
          p.net.devices = f.Get(e, FieldId::kDevices);
          p.net.interface = f.Get(e, FieldId::kInterface);
          p.net.address = f.Get(e, FieldId::kAddress);
        }
        break;
      case EventKind::kNetChoice:
        p.net.network = f.Get(e, FieldId::kNetwork);
        break;
      case EventKind::kCommInitStart:
      case EventKind::kCommInitComplete:
        ReadInit(f, e, id, place);
        break;
      case EventKind::kCommTopology:
        if (Instance* i = FindOrNull(id, comm)) {
          Reach(*i, Stage::kTopology);
          i->nnodes = IntField(f, e, FieldId::kNnodes);
          i->rank.local_rank = IntField(f, e, FieldId::kLocalRank);
        } else if (!comm.empty()) {
          Instance& n = Create(id, comm, IntField(f, e, FieldId::kRank), IntField(f, e, FieldId::kNranks));
          n.nnodes = IntField(f, e, FieldId::kNnodes);
          n.rank.local_rank = IntField(f, e, FieldId::kLocalRank);
          Reach(n, Stage::kTopology);
        }
        break;
      case EventKind::kProcessGroup:
        ReadProcessGroup(f, e, id);
        break;
      case EventKind::kTopology:
        if (Instance* i = CurrentOrNull(id)) Reach(*i, Stage::kTopology);
        break;
      case EventKind::kRing:
        if (Instance* i = CurrentOrNull(id)) Reach(*i, Stage::kChannels);
        break;
      case EventKind::kConnected:
        if (Instance* i = CurrentOrNull(id)) Reach(*i, Stage::kConnected);
        break;
      case EventKind::kInitTimings:
        if (Instance* i = CurrentOrNull(id)) {
          const std::string value(f.Get(e, FieldId::kBootstrapSeconds));
          if (!value.empty()) i->rank.bootstrap_seconds = std::strtod(value.c_str(), nullptr);
        }
        break;
      case EventKind::kCommAbort:
      case EventKind::kCommRevoke:
      case EventKind::kCommDestroy: {
        const bool destroyed = e.kind == EventKind::kCommDestroy;
        (destroyed ? p.destroyed : p.aborted) = true;
        Instance* i = FindOrNull(id, comm);
        if (i == nullptr && !comm.empty()) {
          i = &Create(id, comm, IntField(f, e, FieldId::kRank), IntField(f, e, FieldId::kNranks));
          i->rank.cuda_dev = IntField(f, e, FieldId::kCudaDev);
          i->rank.bus_id = f.Get(e, FieldId::kBusId);
          // Only a communicator that was up is destroyed or aborted with this line.
          Reach(*i, Stage::kBootstrap);
        }
        if (i != nullptr) (destroyed ? i->rank.destroyed : i->rank.aborted) = true;
        break;
      }
      default:
        break;
    }
  }

  void ReadInit(const SourceFacts& f, const Event& e, ProcessId id, const Place& place) {
    const std::string_view comm = f.Get(e, FieldId::kComm);
    const int32_t rank = IntField(f, e, FieldId::kRank);
    const int64_t nranks = ParseInt(f.Get(e, FieldId::kNranks)).value_or(-1);
    const bool start = e.kind == EventKind::kCommInitStart;
    Instance* i = FindOrNull(id, comm);
    // The pointer of a destroyed communicator is used again; the same START may also stand in two files.
    // Another file may show the same START, as stdout and NCCL_DEBUG_FILE do: then the commId is the same.
    const bool same = i != nullptr && (i->rank.rank == rank || i->rank.rank < 0) && !i->rank.destroyed &&
                      !i->rank.aborted &&
                      (!start || i->rank.init_start.line == 0 || i->comm_id == f.Get(e, FieldId::kCommId));
    if (!same) {
      if (ordinal_total_[id]++ >= limits::kCommunicatorsPerProcess || instances_.size() >= limits::kCommunicatorViews) {
        model_.dropped.Add(Counter::kDroppedCommunicators);
        return;
      }
      i = &Create(id, comm, rank, nranks);
    }
    i->rank.rank = rank;
    i->rank.nranks = nranks;
    if (const int32_t dev = IntField(f, e, FieldId::kCudaDev); dev >= 0) i->rank.cuda_dev = dev;
    if (const int32_t dev = IntField(f, e, FieldId::kNvmlDev); dev >= 0) i->rank.nvml_dev = dev;
    if (const auto bus = f.Get(e, FieldId::kBusId); !bus.empty()) i->rank.bus_id = bus;
    if (const auto v = f.Get(e, FieldId::kCommId); !v.empty()) i->comm_id = v;
    if (const auto v = f.Get(e, FieldId::kParent); !v.empty()) i->parent_comm = v;
    if (const auto v = f.Get(e, FieldId::kSplitCount); !v.empty()) i->split_count = v;
    if (const auto v = f.Get(e, FieldId::kColor); !v.empty()) i->color = v;
    if (start) {
      i->rank.init_start = place;
      Reach(*i, Stage::kBootstrap);
      current_[id] = static_cast<size_t>(i - instances_.data());
    } else {
      i->rank.init_complete = place;
      Reach(*i, Stage::kReady);
      current_[id] = static_cast<size_t>(i - instances_.data());
    }
  }

  // A group of a flight recorder. Its ranks are those of the world.
  void ReadProcessGroup(const SourceFacts& f, const Event& e, ProcessId id) {
    const std::string_view comm = f.Get(e, FieldId::kComm);
    if (FindOrNull(id, comm) != nullptr) return;
    if (ordinal_total_[id]++ >= limits::kCommunicatorsPerProcess || instances_.size() >= limits::kCommunicatorViews) {
      model_.dropped.Add(Counter::kDroppedCommunicators);
      return;
    }
    const int32_t rank = IntField(f, e, FieldId::kRank);
    Instance& i = Create(id, comm, rank < 0 ? model_.processes[id.value].rank : rank,
                         ParseInt(f.Get(e, FieldId::kNranks)).value_or(-1));
    i.comm_id = f.Get(e, FieldId::kCommId);
    i.members = f.Get(e, FieldId::kMembers);
    Reach(i, Stage::kReady);
  }

  void AttachStreams() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      const SourceFacts& f = *model_.sources[s];
      for (const CollectiveStream& stream : f.collectives) {
        const ProcessId id = model_.ProcessOf(SourceId{s}, stream.process, -1);
        if (!id.valid()) continue;
        Instance* i = FindOrNull(id, f.Str(stream.comm));
        if (i == nullptr) {
          i = &Create(id, f.Str(stream.comm), model_.processes[id.value].rank, stream.nranks);
        }
        if (i->rank.stream != nullptr && i->rank.stream->calls >= stream.calls) continue;
        i->rank.stream = &stream;
        i->rank.collectives = static_cast<int64_t>(stream.calls);
        i->rank.p2p_calls = static_cast<int64_t>(stream.p2p_calls);
        i->rank.completed = stream.completed;
        if (stream.calls + stream.p2p_calls > 0) Reach(*i, Stage::kRunning);
      }
    }
  }

  CommId NewCommunicator(const Instance& i) {
    Communicator c;
    c.id = CommId{static_cast<uint32_t>(model_.communicators.size())};
    c.comm_id = i.comm_id;
    c.nranks = i.rank.nranks;
    model_.communicators.push_back(std::move(c));
    return model_.communicators.back().id;
  }

  void Join() {
    std::map<std::string_view, CommId> by_id;
    std::map<std::tuple<CommId, std::string_view, std::string_view, int64_t>, CommId> by_split;
    std::map<std::tuple<int64_t, uint32_t, uint32_t>, CommId> by_order;
    std::map<std::tuple<int64_t, uint32_t, int32_t>, uint32_t> taken;  // how often a rank came so
    for (Instance& i : instances_) {
      CommId parent;
      if (!i.parent_comm.empty()) {
        if (const Instance* p = FindOrNull(i.process, i.parent_comm)) parent = p->joined;
      }
      CommId* slot = nullptr;
      // In the order of what is certain: the id, the parent with what split it, the size and the order of creation.
      if (!i.comm_id.empty()) {
        slot = &by_id[i.comm_id];
      } else if (parent.valid()) {
        slot = &by_split[{parent, i.split_count, i.color, i.rank.nranks}];
      } else {
        // A rank that comes once more is of another communicator of that size, whose lines are clipped before the id.
        const uint32_t nth = taken[{i.rank.nranks, i.ordinal, i.rank.rank}]++;
        slot = &by_order[{i.rank.nranks, i.ordinal, nth}];
      }
      if (!slot->valid()) *slot = NewCommunicator(i);
      Communicator& c = model_.communicators[slot->value];
      c.parent = parent;
      if (c.members.empty()) c.members = ParseRankList(i.members, limits::kMissingRanks);
      c.nnodes = std::max(c.nnodes, i.nnodes);
      c.ranks.push_back(i.rank);
      i.joined = c.id;
    }
  }

  void AttachEdges() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      const SourceFacts& f = *model_.sources[s];
      for (const ConnectionFacts& c : f.connections) {
        const ProcessId id = model_.ProcessOf(SourceId{s}, c.process, -1);
        Edge e;
        e.from = c.from;
        e.to = c.to;
        e.process = id;
        e.direction = c.direction;
        e.transport = std::string(f.Str(c.transport));
        if (c.gdr) e.transport += "/GDRDMA";
        e.device = std::string(f.Str(c.device));
        e.gdr = c.gdr;
        e.channels = c.channels;
        e.place = {SourceId{s}, c.first.line, c.first.offset, f.Str(c.first.text)};
        // An edge names no communicator: it belongs to the newest one of its process that was begun before the edge
        // and holds both ranks.
        size_t owner = kNone;
        for (const size_t n : by_process_[id]) {
          const Rank& r = instances_[n].rank;
          if (r.nranks <= std::max(c.from, c.to)) continue;
          const bool before =
              r.init_start.line == 0 || r.init_start.source != SourceId{s} || r.init_start.line < c.first.line;
          if (before || owner == kNone) owner = n;
        }
        if (owner != kNone) Reach(instances_[owner], Stage::kChannels);
        edge_instance_.push_back(owner);
        model_.edges.push_back(std::move(e));
      }
    }
  }

  // Counts the ranks that were seen, and adds the others while there is room for them.
  // A forged nranks of two billion would fill the memory: limits::kMissingRanks bounds it.
  void AddMissing(Communicator& c) {
    std::set<int32_t> have;
    for (const Rank& r : c.ranks) {
      if (r.rank >= 0) have.insert(r.rank);
    }
    c.ranks_seen = static_cast<int64_t>(have.size());
    if (c.nranks <= c.ranks_seen) return;
    if (!c.members.empty() && static_cast<int64_t>(c.members.size()) != c.nranks) return;
    if (c.nranks - c.ranks_seen > static_cast<int64_t>(missing_room_)) return;
    for (int64_t n = 0; n < c.nranks; ++n) {
      const int32_t rank = c.members.empty() ? static_cast<int32_t>(n) : c.members[static_cast<size_t>(n)];
      if (have.count(rank) != 0) continue;
      Rank missing;
      missing.rank = rank;
      missing.nranks = c.nranks;
      c.ranks.push_back(missing);
      --missing_room_;
    }
  }

  void Finish() {
    for (Communicator& c : model_.communicators) {
      // The size that most ranks were told.
      std::map<int64_t, int> votes;
      for (const Rank& r : c.ranks) ++votes[r.nranks];
      for (const auto& [n, count] : votes) {
        if (count > votes[c.nranks]) c.nranks = n;
      }
      for (Rank& r : c.ranks) {
        Process& p = model_.processes[r.process.value];
        r.last = p.last;
        if (p.gpu < 0) p.gpu = r.cuda_dev;
        if (p.bus_id.empty()) p.bus_id = r.bus_id;
        r.reached = std::max(r.reached, Stage::kProcess);
      }
      AddMissing(c);
      std::stable_sort(c.ranks.begin(), c.ranks.end(), [](const Rank& a, const Rank& b) { return a.rank < b.rank; });
      bool first = true;
      for (const Rank& r : c.ranks) {
        if (!r.seen) continue;
        // A communicator is as far as its slowest rank.
        c.stage = first ? r.stage() : std::min(c.stage, r.stage());
        c.aborted |= r.aborted;
        c.destroyed |= r.destroyed;
        first = false;
      }
      if (!model_.largest.valid() || Bigger(c, model_.communicators[model_.largest.value])) model_.largest = c.id;
    }
    NameWorldRanks(model_);
  }

  static bool Bigger(const Communicator& a, const Communicator& b) {
    return std::tie(a.nranks, a.ranks_seen) > std::tie(b.nranks, b.ranks_seen);
  }

  static constexpr size_t kNone = SIZE_MAX;

  JobModel& model_;
  size_t missing_room_ = limits::kMissingRanks;
  std::vector<Instance> instances_;
  std::vector<size_t> edge_instance_;  // parallel to model_.edges
  std::map<ProcessId, std::vector<size_t>> by_process_;
  std::map<Key, size_t> by_pointer_;
  std::map<ProcessId, size_t> current_;
  std::map<ProcessId, size_t> ordinal_total_;
  std::map<std::tuple<ProcessId, int64_t, int32_t>, uint32_t> ordinals_;
};

}  // namespace

void TrackCommunicators(JobModel& model) { CommunicatorTracker(model).Run(); }

}  // namespace ncclwhy
