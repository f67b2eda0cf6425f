// Sources, processes, communicators, ranks, connections, environment, coverage.
#include "analyze/host_hardware.h"
#include "analyze/rank_traits.h"
#include "job/collective_compare.h"
#include "job/thread_stack.h"
#include "store/fill.h"
#include "store/json_text.h"

namespace ncclwhy {
namespace {

// An id of ours, or NULL.
template <typename Tag>
Insert& BindId(Insert& insert, Id<Tag> id) {
  return id.valid() ? insert.Integer(id.value) : insert.Null();
}

Insert& BindLine(Insert& insert, const Place& place) { return insert.IntegerOrNull(place.line, 0); }

// Source and line, both NULL when the place is not known.
Insert& BindSourceAndLine(Insert& insert, const Place& place) {
  if (place.line == 0) return insert.Null().Null();
  return BindId(insert, place.source).Integer(place.line);
}

Status FillRanksOf(Insert& insert, const Communicator& communicator) {
  auto call = communicator.divergence.lines.begin();  // in the order of the ranks, of those that made the call
  for (const Rank& r : communicator.ranks) {
    insert.Integer(communicator.id.value).Integer(r.rank);
    BindId(insert, r.process).TextOrNull(r.comm).TextOrNull(r.host).Integer(r.seen).IntegerOrNull(r.nranks);
    insert.Text(StageName(r.stage())).Integer(static_cast<int>(r.stage())).Integer(r.aborted).Integer(r.destroyed);
    insert.IntegerOrNull(r.cuda_dev).IntegerOrNull(r.nvml_dev).TextOrNull(r.bus_id).IntegerOrNull(r.local_rank);
    insert.IntegerOrNull(r.collectives).IntegerOrNull(r.p2p_calls);
    r.bootstrap_seconds < 0 ? insert.Null() : insert.Real(r.bootstrap_seconds);
    const Place& init = r.init_start.line != 0 ? r.init_start : r.init_complete;
    init.line == 0 ? insert.Null() : BindId(insert, init.source);
    BindLine(insert, r.init_start);
    BindLine(insert, r.init_complete);
    BindSourceAndLine(insert, r.last).TextOrNull(r.last.text);
    if (call != communicator.divergence.lines.end() && call->first == r.rank) {
      insert.Integer(call++->second);
    } else {
      insert.Null();
    }
    insert.IntegerOrNull(r.completed);
    const CollectiveCall* last =
        r.stream == nullptr || r.stream->calls == 0 ? nullptr : CallAt(*r.stream, r.stream->calls - 1);
    last == nullptr ? insert.Null() : insert.Integer(last->line);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

Status FillSources(Database& database, const JobModel& model) {
  auto insert = Insert::Prepare(database, "INSERT INTO _source VALUES (?,?,?)");
  if (!insert.ok()) return insert.status();
  for (size_t i = 0; i < model.sources.size(); ++i) {
    insert.value().Integer(static_cast<int64_t>(i)).Text(model.sources[i]->name);
    insert.value().Integer(static_cast<int64_t>(model.sources[i]->bytes));
    if (Status status = insert.value().Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillProcesses(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(
      database, "INSERT INTO _process VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const Process& p : model.processes) {
    insert.Integer(p.id.value).TextOrNull(p.host).TextOrNull(p.pod).IntegerOrNull(p.pid).IntegerOrNull(p.launcher_rank);
    insert.IntegerOrNull(p.rank).IntegerOrNull(p.gpu).TextOrNull(p.bus_id).TextOrNull(p.nccl_version);
    insert.TextOrNull(p.cuda_version).TextOrNull(p.driver_version).TextOrNull(p.bootstrap.interface);
    insert.TextOrNull(p.bootstrap.address).TextOrNull(p.net.network).TextOrNull(p.net.interface);
    insert.TextOrNull(p.net.address).TextOrNull(p.net.devices).Integer(static_cast<int64_t>(p.lines));
    insert.Integer(static_cast<int64_t>(p.warns));
    BindSourceAndLine(insert, p.first);
    BindSourceAndLine(insert, p.last)
        .TextOrNull(p.last.text)
        .Integer(p.last_torn)
        .Integer(p.aborted)
        .Integer(p.destroyed);
    insert.Integer(p.log_just_ends).IntegerOrNull(p.job);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillCommunicators(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _communicator VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const Communicator& c : model.communicators) {
    insert.Integer(c.id.value).TextOrNull(c.comm_id).IntegerOrNull(c.nranks).IntegerOrNull(c.nnodes);
    insert.Integer(c.ranks_seen).Text(StageName(c.stage));
    BindId(insert, c.parent).Integer(c.aborted).Integer(c.destroyed);
    std::string minority;
    if (c.divergence.found) {
      for (const int32_t rank : c.divergence.minority)
        minority += (minority.empty() ? "[" : ",") + std::to_string(rank);
      minority += minority.empty() ? "[]" : "]";
      insert.Text(c.divergence.kind).Integer(static_cast<int64_t>(c.divergence.index));
      insert.TextOrNull(c.divergence.expected).TextOrNull(c.divergence.found_instead).Text(minority);
    } else {
      insert.Null().Null().Null().Null().Null();
    }
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillRanks(Database& database, const JobModel& model) {
  auto insert = Insert::Prepare(
      database, "INSERT INTO _rank VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!insert.ok()) return insert.status();
  for (const Communicator& c : model.communicators) {
    if (Status status = FillRanksOf(insert.value(), c); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillStacks(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _stack VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const ThreadStack& stack : FindStacks(model)) {
    BindSourceAndLine(insert, stack.place).TextOrNull(stack.place.text);
    BindId(insert, stack.process).Text(stack.owner).IntegerOrNull(stack.rank).TextOrNull(stack.host);
    insert.IntegerOrNull(stack.pid).TextOrNull(stack.thread).TextOrNull(stack.function).Text(stack.frames);
    insert.TextOrNull(stack.program);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillConnections(Database& database, const JobModel& model) {
  const RankHosts hosts = HostsOfRanks(model);
  const auto host_of = [&](const Edge& e, int32_t rank) {
    const auto it = hosts.find({e.comm, rank});
    return it == hosts.end() ? std::string_view() : it->second;
  };
  auto prepared = Insert::Prepare(database, "INSERT INTO _connection VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const Edge& e : model.edges) {
    BindId(insert, e.comm).IntegerOrNull(e.from).IntegerOrNull(e.to).TextOrNull(e.transport).TextOrNull(e.device);
    insert.Integer(e.gdr).Integer(e.channels);
    BindSourceAndLine(insert, e.place);
    BindId(insert, e.process).TextOrNull(e.direction == 's' ? "send" : e.direction == 'r' ? "receive" : "");
    insert.TextOrNull(host_of(e, e.from)).TextOrNull(host_of(e, e.to)).TextOrNull(e.place.text);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillTraits(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _trait VALUES (NULL,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const RankTraits& traits : ReadRankTraits(model)) {
    for (const auto& [trait, value] : traits.values) {
      insert.Integer(traits.process.value).Text(TraitName(trait)).Text(value.text);
      BindSourceAndLine(insert, value.place);
      if (Status status = insert.Run(); !status.ok()) return status;
    }
  }
  return Status::Ok();
}

Status FillHardware(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _hardware VALUES (NULL,?,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const HardwareFact& fact : FindHardware(model)) {
    insert.TextOrNull(fact.host).Text(fact.kind).Text(fact.value);
    BindSourceAndLine(insert, fact.place).TextOrNull(fact.place.text);
    if (Status status = insert.Run(); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FillEnvironment(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _environment VALUES (NULL,?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (const Process& p : model.processes) {
    for (const auto& [variable, value] : p.environment) {
      insert.Integer(p.id.value).Text(variable).Text(value.first);
      BindSourceAndLine(insert, value.second);
      if (Status status = insert.Run(); !status.ok()) return status;
    }
  }
  return Status::Ok();
}

Status FillCoverage(Database& database, const JobModel& model) {
  auto prepared = Insert::Prepare(database, "INSERT INTO _coverage VALUES (?,?,?,?,?)");
  if (!prepared.ok()) return prepared.status();
  Insert& insert = prepared.value();
  for (size_t i = 0; i < model.sources.size(); ++i) {
    for (size_t k = 0; k < static_cast<size_t>(Counter::kCount_); ++k) {
      const auto counter = static_cast<Counter>(k);
      const uint64_t value = model.sources[i]->counters.Get(counter);
      if (value == 0) continue;
      const CounterInfo& info = InfoOf(counter);
      insert.Integer(static_cast<int64_t>(i)).Text(info.name).Integer(static_cast<int64_t>(value));
      insert.Integer(info.loss).Text(info.sentence);
      if (Status status = insert.Run(); !status.ok()) return status;
    }
  }
  return Status::Ok();
}

}  // namespace ncclwhy
