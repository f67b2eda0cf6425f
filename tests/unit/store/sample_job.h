// A job of two ranks in two files, built by hand: rank 1 reports an InfiniBand error and aborts, rank 2 left no log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

class SampleJob {
 public:
  SampleJob() {
    facts_.push_back(MakeSource("rank0.log", "node-a", 100));
    facts_.push_back(MakeSource("rank1.log", "node-b\xff", 200));
    AddEvent(*facts_[0], 3, EventKind::kCommInitStart, LogLevel::kInfo, "ncclCommInitRank comm 0xaa rank 0 nranks 3",
             {{FieldId::kComm, "0xaa"}, {FieldId::kRank, "0"}, {FieldId::kCommId, "0x1f"}});
    AddEvent(*facts_[1], 4, EventKind::kCommInitStart, LogLevel::kInfo, "ncclCommInitRank comm 0xbb rank 1 nranks 3",
             {{FieldId::kComm, "0xbb"}, {FieldId::kRank, "1"}});
    AddEvent(*facts_[1], 9, EventKind::kIbCompletion, LogLevel::kWarn, "Got completion \"x\"\t\xfe status=12",
             {{FieldId::kStatus, "12"}, {FieldId::kDevice, "mlx5_0"}, {FieldId::kAddress, "a\"\\\n\xfd"}});
    AddEvent(*facts_[1], 12, EventKind::kSignal, LogLevel::kNone, "Killed", {});
    facts_[1]->events.back().process = kNoProcess;
    facts_[0]->counters.Add(Counter::kLines, 20);
    facts_[0]->counters.Add(Counter::kNccl, 18);
    facts_[0]->counters.Add(Counter::kClippedLines, 2);
    AddStream(*facts_[0], "0xaa", 100);
    AddStream(*facts_[1], "0xbb", 3);
    MakeModel();
  }
  SampleJob(const SampleJob&) = delete;
  SampleJob& operator=(const SampleJob&) = delete;

  const JobModel& model() const { return model_; }
  SourceFacts& facts(size_t i) { return *facts_[i]; }

  static void AddEvent(SourceFacts& f, uint32_t line, EventKind kind, LogLevel level, std::string_view text,
                       const std::vector<std::pair<FieldId, std::string_view>>& fields) {
    Event e;
    e.offset = uint64_t{line} * 80;
    e.line = line;
    e.process = 0;
    e.tid = 7;
    e.device = 0;
    e.kind = kind;
    e.level = level;
    e.dialect = level == LogLevel::kNone ? Dialect::kSlurm : Dialect::kNccl;
    e.text = f.strings.Intern(text);
    e.field_begin = static_cast<uint32_t>(f.fields.size());
    e.field_count = static_cast<uint32_t>(fields.size());
    for (const auto& [id, value] : fields) f.fields.push_back({id, f.strings.Intern(value)});
    f.events.push_back(e);
  }

 private:
  static std::unique_ptr<SourceFacts> MakeSource(const std::string& name, std::string_view host, int64_t pid) {
    auto f = std::make_unique<SourceFacts>();
    f->name = name;
    f->bytes = 1600;
    ProcessFacts p;
    p.host = f->strings.Intern(host);
    p.pid = pid;
    f->processes.push_back(p);
    return f;
  }

  static void AddStream(SourceFacts& f, std::string_view comm, uint64_t calls) {
    CollectiveStream s;
    s.process = 0;
    s.comm = f.strings.Intern(comm);
    s.calls = calls;
    for (uint64_t i = 0; i < calls; ++i) {
      CollectiveCall call;
      call.op_count = i;
      call.count = 1000 + i;
      call.line = static_cast<uint32_t>(10 + i);
      call.operation = 1;
      call.datatype = 7;
      if (s.window.size() < 64) {
        s.window.push_back(call);
      } else {
        s.window[i % 64] = call;
      }
    }
    s.p2p_calls = 1;
    CollectiveCall send;
    send.operation = 6;
    send.line = 5;
    send.root = 1;
    s.p2p_window.push_back(send);
    f.collectives.push_back(s);
  }

  void MakeModel() {
    for (uint32_t i = 0; i < 2; ++i) {
      const SourceFacts& f = *facts_[i];
      model_.sources.push_back(&f);
      Process p;
      p.id = ProcessId{i};
      p.host = f.Str(f.processes[0].host);
      p.pid = f.processes[0].pid;
      p.rank = static_cast<int32_t>(i);
      p.gpu = 0;
      p.nccl_version = "2.28.9";
      p.lines = 10;
      p.warns = i;
      p.aborted = i == 1;
      p.first = {SourceId{i}, 1, 0, "first"};
      p.last = {SourceId{i}, 19, 1500, "last"};
      p.environment["NCCL_DEBUG"] = {"INFO", {SourceId{i}, 2, 80, "NCCL_DEBUG set"}};
      model_.processes.push_back(p);
      model_.process_of.push_back({ProcessId{i}});
      model_.only_process_of.push_back(i == 1 ? ProcessId{} : ProcessId{i});
      model_.launcher_of.emplace_back();
    }
    Communicator c;
    c.id = CommId{0};
    c.comm_id = "0x1f";
    c.nranks = 3;
    c.ranks_seen = 2;
    c.stage = Stage::kRunning;
    c.aborted = true;
    c.divergence.found = true;
    c.divergence.index = 3;
    c.divergence.kind = "count";
    c.divergence.minority = {1};
    c.divergence.expected = "AllReduce count 1 float32 sum";
    for (uint32_t i = 0; i < 3; ++i) {
      Rank r;
      r.rank = static_cast<int32_t>(i);
      if (i < 2) {
        r.process = ProcessId{i};
        r.comm = i == 0 ? "0xaa" : "0xbb";
        r.host = model_.processes[i].host;
        r.seen = true;
        r.nranks = 3;
        r.reached = Stage::kRunning;
        r.aborted = i == 1;
        r.init_start = {SourceId{i}, 3 + i, 240, "init"};
        r.last = {SourceId{i}, 19, 1500, "last"};
        r.collectives = i == 0 ? 100 : 3;
        r.bootstrap_seconds = 0.25;
      }
      c.ranks.push_back(r);
    }
    model_.communicators.push_back(c);
    model_.largest = CommId{0};
    Edge e;
    e.from = 0;
    e.to = 1;
    e.comm = CommId{0};
    e.transport = "NET/IB/GDRDMA";
    e.gdr = true;
    e.channels = 4;
    e.place = {SourceId{0}, 8, 640, "Channel"};
    model_.edges.push_back(e);
  }

  std::vector<std::unique_ptr<SourceFacts>> facts_;
  JobModel model_;
};

}  // namespace ncclwhy
