#include "read/recorder_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/numbers.h"
#include "base/rank_list.h"
#include "parser/facts_builder.h"

namespace ncclwhy {
namespace {

uint8_t OperationNamed(std::string_view name) {
  const auto* at = std::find(kCollectiveNames.begin(), kCollectiveNames.end(), name);
  return static_cast<uint8_t>(at - kCollectiveNames.begin());
}

// "nccl:_all_gather_base" → AllGather. The longest word first: reduce_scatter holds reduce and scatter, all_gather
// holds gather.
std::string_view CollectiveOf(std::string_view profiling_name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNames = {{
      {"reduce_scatter", "ReduceScatter"},
      {"all_reduce", "AllReduce"},
      {"allreduce", "AllReduce"},
      {"all_gather", "AllGather"},
      {"allgather", "AllGather"},
      {"all_to_all", "AlltoAll"},
      {"alltoall", "AlltoAll"},
      {"broadcast", "Broadcast"},
      {"barrier", "AllReduce"},
      {"scatter", "Scatter"},
      {"gather", "Gather"},
      {"reduce", "Reduce"},
      {"send", "Send"},
      {"recv", "Recv"},
  }};
  for (const auto& [part, name] : kNames) {
    if (profiling_name.find(part) != std::string_view::npos) return name;
  }
  return "Other";
}

// c10's names of types as NCCL's numbers; 255 for what is not known.
uint8_t TypeNamed(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, uint8_t>, 14> kTypes = {{{"Char", 0},
                                                                            {"Bool", 1},
                                                                            {"Byte", 1},
                                                                            {"Int", 2},
                                                                            {"UInt32", 3},
                                                                            {"Long", 4},
                                                                            {"UInt64", 5},
                                                                            {"Half", 6},
                                                                            {"Float", 7},
                                                                            {"Double", 8},
                                                                            {"BFloat16", 9},
                                                                            {"Float8_e4m3fn", 10},
                                                                            {"Float8_e4m3fnuz", 10},
                                                                            {"Float8_e5m2", 11}}};
  for (const auto& [type, number] : kTypes) {
    if (type == name) return number;
  }
  return UINT8_MAX;
}

// [[2048, 1, 5120], [16]] → the number of elements.
uint64_t Elements(Document::Value sizes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    uint64_t product = 1;
    for (size_t k = 0; k < sizes[i].size(); ++k) product *= static_cast<uint64_t>(sizes[i][k].Integer().value_or(0));
    sum += product;
  }
  return sum;
}

// '[0, 1, 2, 3]', or a list of numbers; ascending.
std::vector<int32_t> RanksIn(Document::Value value) {
  std::vector<int32_t> ranks;
  for (size_t i = 0; i < value.size() && i < limits::kMissingRanks; ++i) {
    if (const auto rank = value[i].Integer()) ranks.push_back(static_cast<int32_t>(*rank));
  }
  std::string text(value.Text());
  std::erase_if(text, [](char c) { return c == ' ' || c == '[' || c == ']'; });
  if (!text.empty()) ranks = ParseRankList(text, limits::kMissingRanks);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// A group of this rank, and how far its calls came. Calls are counted from 1, as PyTorch does.
struct Group {
  std::string name;  // '0', '72': the same on all ranks
  std::string description;
  std::vector<int32_t> members;  // empty: not known
  int64_t pg_id = -1;            // of this process
  int64_t enqueued = -1;
  int64_t completed = -1;
  int64_t pending = -1;  // the first call of the buffer that has not ended
  int64_t ended = -1;    // the last one that has
  bool peers = false;    // sends or receives: then pg_status counts these, which each rank does by itself
  std::map<int64_t, CollectiveCall> calls;  // of the window
  std::vector<CollectiveCall> p2p;
};

class Dump {
 public:
  Dump(const Document& document, SourceFacts* facts)
      : root_(document.root()), entries_(root_.is_list() ? root_ : root_["entries"]), facts_(*facts), builder_(facts) {}

  // False: no dump of a flight recorder. Nothing was added then.
  bool Read() {
    if (!entries_.is_list() && !root_["pg_config"].is_dict()) return false;
    ReadGroups();
    for (size_t i = 0; i < entries_.size(); ++i) NoteGroup(entries_[i]);
    ReadStatus();
    ProcessFacts process;
    process.launcher_rank = OwnRank();
    facts_.processes.push_back(process);
    for (size_t i = 0; i < entries_.size(); ++i) ReadEntry(entries_[i], static_cast<uint32_t>(i + 1));
    for (auto& [name, group] : groups_) {
      if (group.completed < 0) group.completed = group.pending > 0 ? group.pending - 1 : group.ended;
      AddGroup(group);
    }
    for (const auto& [name, group] : groups_) AddStream(group);
    facts_.counters.Add(Counter::kRecords, entries_.size());
    return true;
  }

 private:
  // "pg 72": what stands for NCCL's pointer of a communicator, which a dump does not have. The same in the dumps of all
  // ranks, so that they are put together.
  static std::string CommOf(const Group& group) { return "pg " + group.name; }

  void ReadGroups() {
    const Document::Value config = root_["pg_config"];
    for (size_t i = 0; i < config.size() && i < limits::kRecordedGroups; ++i) {
      // A list of groups in some versions.
      const Document::Value said = config.is_dict() ? config.At(i) : config[i];
      std::string name(said["name"].Text());
      if (name.empty()) name = config.Key(i).Text();
      if (name.empty()) continue;
      Group& group = groups_[name];
      group.name = std::move(name);
      group.description = said["desc"].Text();
      group.members = RanksIn(said["ranks"]);
    }
  }

  // ('72', 'EXPERT_MODEL_PARALLEL_GROUP'), a name alone, or no name: then the number that the group has in its process.
  // That of the world is 0 everywhere.
  std::string NameOf(Document::Value entry) const {
    const Document::Value group = entry["process_group"];
    std::string_view name = group.is_list() ? group[0].Text() : group.Text();
    if (name.empty()) name = entry["pg_name"].Text();
    if (!name.empty()) return std::string(name);
    return std::to_string(entry["pg_id"].Integer().value_or(0));
  }

  // Null where there are kRecordedGroups already.
  Group* GroupOf(Document::Value entry) {
    const std::string name = NameOf(entry);
    if (const auto it = groups_.find(name); it != groups_.end()) return &it->second;
    if (groups_.size() >= limits::kRecordedGroups) return nullptr;
    Group& group = groups_[name];
    group.name = name;
    if (entry["process_group"].is_list()) group.description = entry["process_group"][1].Text();
    return &group;
  }

  void NoteGroup(Document::Value entry) {
    if (!entry.is_dict()) return;
    Group* group = GroupOf(entry);
    if (group == nullptr) return;
    group->pg_id = entry["pg_id"].Integer().value_or(-1);
    group->peers |= entry["is_p2p"].True();
  }

  // pg_status goes by the numbers of this process. They and the names grow in the order of creation, so that with as
  // many of the one as of the other the groups without an entry are known, too.
  void ReadStatus() {
    const Document::Value status = root_["pg_status"];
    std::map<int64_t, Document::Value> by_id;
    for (size_t i = 0; i < status.size(); ++i) {
      if (const auto id = status.Key(i).Integer()) by_id[*id] = status.At(i);
    }
    std::map<int64_t, Group*> by_name;
    for (auto& [name, group] : groups_) {
      if (const auto number = ParseInt(name)) by_name[*number] = &group;
    }
    if (by_name.size() == groups_.size() && by_id.size() == groups_.size()) {
      auto it = by_id.begin();
      const bool fits = std::all_of(by_name.begin(), by_name.end(), [&](const auto& named) {
        return std::exchange(it, std::next(it))->first == named.second->pg_id || named.second->pg_id < 0;
      });
      it = by_id.begin();
      for (const auto& [number, group] : by_name) {
        if (fits) group->pg_id = it->first;
        ++it;
      }
    }
    for (auto& [name, group] : groups_) {
      const auto it = by_id.find(group.pg_id);
      if (it == by_id.end() || group.peers) continue;
      // -1: none so far.
      group.enqueued = std::max<int64_t>(it->second["last_enqueued_collective"].Integer().value_or(-1), 0);
      group.completed = std::max<int64_t>(it->second["last_completed_collective"].Integer().value_or(-1), 0);
    }
  }

  // The one rank that is in all groups.
  int32_t OwnRank() const {
    std::optional<std::vector<int32_t>> common;
    for (const auto& [name, group] : groups_) {
      if (group.members.empty()) continue;
      std::vector<int32_t> both;
      if (common) {
        std::set_intersection(common->begin(), common->end(), group.members.begin(), group.members.end(),
                              std::back_inserter(both));
      }
      common = common ? both : group.members;
    }
    return common && common->size() == 1 ? common->front() : -1;
  }

  void ReadEntry(Document::Value entry, uint32_t number) {
    Group* group = entry.is_dict() ? GroupOf(entry) : nullptr;
    if (group == nullptr) return;
    const std::string_view name = entry["profiling_name"].Text();
    CollectiveCall call;
    call.line = number;
    call.operation = OperationNamed(CollectiveOf(name));
    const bool p2p = entry["is_p2p"].True() || kCollectiveNames[call.operation] == "Send" ||
                     kCollectiveNames[call.operation] == "Recv";
    Document::Value seq = entry["collective_seq_id"];
    // Since format 2.0 of the dump collectives and calls between peers are counted apart; before that by one number.
    if (p2p && entry["p2p_seq_id"].kind() != Document::Kind::kNothing) seq = entry["p2p_seq_id"];
    if (seq.kind() == Document::Kind::kNothing) seq = entry["seq_id"];
    const int64_t ordinal = seq.Integer().value_or(-1);
    const std::string_view operation = kCollectiveNames[call.operation];
    // What NCCL counts: the smaller side, where one is larger by the number of ranks. It differs with the rank where
    // each gets its own share.
    const bool own_share = operation == "AlltoAll" || operation == "Gather" || operation == "Scatter";
    if (!own_share) call.count = Elements(entry[operation == "ReduceScatter" ? "output_sizes" : "input_sizes"]);
    const Document::Value types = entry["input_dtypes"];
    call.datatype = TypeNamed(types.is_list() ? types[0].Text() : types.Text());
    call.op_count = static_cast<uint64_t>(std::max<int64_t>(ordinal, 0));
    const std::string_view state = entry["state"].Text();
    const bool ended = state == "completed" || entry["retired"].True();
    if (p2p) {
      group->p2p.push_back(call);
      if (group->p2p.size() > limits::kCollectiveWindow) group->p2p.erase(group->p2p.begin());
    } else if (ordinal > 0) {
      NoteCall(*group, ordinal, call, ended);
    }
    if (!ended) AddPending(*group, entry, call, ordinal, number);
  }

  // Several entries of one number are one coalesced call.
  // The window keeps the latest calls: the oldest go first.
  static void NoteCall(Group& group, int64_t ordinal, const CollectiveCall& call, bool ended) {
    const auto [it, fresh] = group.calls.emplace(ordinal, call);
    if (!fresh) it->second.count += call.count;
    if (group.calls.size() > limits::kCollectiveWindow) group.calls.erase(group.calls.begin());
    group.enqueued = std::max(group.enqueued, ordinal);
    if (ended) {
      group.ended = std::max(group.ended, ordinal);
    } else if (group.pending < 0 || ordinal < group.pending) {
      group.pending = ordinal;
    }
  }

  void AddPending(const Group& group, Document::Value entry, const CollectiveCall& call, int64_t ordinal,
                  uint32_t number);
  void AddGroup(const Group& group);
  void AddStream(const Group& group);

  const Document::Value root_;
  const Document::Value entries_;
  SourceFacts& facts_;
  FactsBuilder builder_;
  std::map<std::string, Group> groups_;
  size_t pending_ = 0;
};

// "recv 2<-3": ranks of the group, the own one first.
int32_t PeerIn(std::string_view name) {
  const size_t arrow = name.find_first_of("<>");
  if (arrow == std::string_view::npos) return -1;
  const size_t digit = name.find_first_of("0123456789", arrow);
  return digit == std::string_view::npos ? -1 : ParseInt<int32_t>(name.substr(digit)).value_or(-1);
}

// nccl:all_reduce: call 64 of pg 0 (default_pg), started
void Dump::AddPending(const Group& group, Document::Value entry, const CollectiveCall& call, int64_t ordinal,
                      uint32_t number) {
  // A rank that hangs has the first of them in common with the others; the rest was issued behind it.
  if (++pending_ > limits::kRecordedPending) return;
  const std::string_view name = entry["profiling_name"].Text();
  const std::string_view state = entry["state"].Text();
  const std::string text = fmt::format("{}: call {} of {}{}, {}", name, ordinal, CommOf(group),
                                       group.description.empty() ? "" : " (" + group.description + ")", state);
  ParsedLine line;
  line.number = number;
  line.body = text;
  EventWriter event = builder_.Begin(EventKind::kRecordedCall, line, 0);
  if (!event.kept()) return;
  // Nanoseconds or microseconds since 1970, as PyTorch has them.
  Document::Value time = entry["time_created_ns"];
  if (time.kind() == Document::Kind::kNothing) time = entry["time_created_us"];
  if (const auto created = time.Integer()) facts_.events.back().time = builder_.Intern(std::to_string(*created));
  event.Set(FieldId::kComm, CommOf(group)).Set(FieldId::kSeq, ordinal);
  if (facts_.processes[0].launcher_rank >= 0) event.Set(FieldId::kRank, int64_t{facts_.processes[0].launcher_rank});
  event.Set(FieldId::kOperation, kCollectiveNames[call.operation]).Set(FieldId::kState, state);
  if (call.count > 0) event.Set(FieldId::kCount, static_cast<int64_t>(call.count));
  if (const auto timeout = entry["timeout_ms"].Integer()) event.Set(FieldId::kTimeoutMs, *timeout);
  const int32_t peer = PeerIn(name);
  if (peer < 0) return;
  if (group.members.empty() && group.name == "0") event.Set(FieldId::kPeer, int64_t{peer});
  if (static_cast<size_t>(peer) < group.members.size()) {
    event.Set(FieldId::kPeer, int64_t{group.members[static_cast<size_t>(peer)]});
  }
}

// pg 72 (EXPERT_MODEL_PARALLEL_GROUP), ranks 0-7: 64 calls issued, 63 completed
void Dump::AddGroup(const Group& group) {
  const std::string list = RankListText(group.members);
  std::string text = CommOf(group);
  if (!group.description.empty()) text += " (" + group.description + ")";
  if (!list.empty()) text += fmt::format(", ranks {}", list);
  if (group.enqueued >= 0) text += fmt::format(": {} calls issued, {} completed", group.enqueued, group.completed);
  ParsedLine line;
  line.number = group.calls.empty() ? 0 : group.calls.rbegin()->second.line;
  line.body = text;
  EventWriter event = builder_.Begin(EventKind::kProcessGroup, line, 0);
  event.Set(FieldId::kComm, CommOf(group)).Set(FieldId::kCommId, CommOf(group));
  if (facts_.processes[0].launcher_rank >= 0) event.Set(FieldId::kRank, int64_t{facts_.processes[0].launcher_rank});
  if (!group.members.empty()) {
    event.Set(FieldId::kNranks, static_cast<int64_t>(group.members.size())).Set(FieldId::kMembers, list);
  }
  if (group.enqueued >= 0) event.Set(FieldId::kEnqueued, group.enqueued).Set(FieldId::kCompleted, group.completed);
}

// As of NCCL's own lines: call n stands at (n - 1) modulo the window. A call that has no entry leaves a hole.
void Dump::AddStream(const Group& group) {
  if (group.enqueued < 0 && group.p2p.empty()) return;
  CollectiveStream stream;
  stream.process = 0;
  stream.comm = builder_.Intern(CommOf(group));
  if (!group.members.empty()) stream.nranks = static_cast<int64_t>(group.members.size());
  stream.calls = static_cast<uint64_t>(std::max<int64_t>(group.enqueued, 0));
  stream.completed = group.completed;
  for (const auto& [ordinal, call] : group.calls) {
    // Issued, as pg_status says, since the dump's buffer ends; older ones would fall on the places of those.
    if (stream.calls - static_cast<uint64_t>(ordinal) >= limits::kCollectiveWindow) continue;
    stream.window.resize(limits::kCollectiveWindow);
    stream.window[static_cast<size_t>(ordinal - 1) % limits::kCollectiveWindow] = call;
    stream.last = {call.line, 0, {}};
    if (stream.first.line == 0) stream.first = stream.last;
  }
  stream.p2p_calls = group.p2p.size();
  stream.p2p_window = group.p2p;
  facts_.collectives.push_back(std::move(stream));
}

}  // namespace

bool AddRecorderFacts(const Document& document, SourceFacts* facts) { return Dump(document, facts).Read(); }

}  // namespace ncclwhy
