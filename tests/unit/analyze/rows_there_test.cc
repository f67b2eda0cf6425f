#include "analyze/rows_there.h"

#include "catch.h"

namespace ncclwhy {
namespace {

SourceFacts OneLine(EventKind kind) {
  SourceFacts facts;
  facts.events.emplace_back();
  facts.events.back().kind = kind;
  return facts;
}

// Two ranks of one communicator on two hosts, alike, and ready.
JobModel Alike() {
  static const SourceFacts ready = OneLine(EventKind::kCommInitComplete);
  JobModel model;
  model.sources.push_back(&ready);
  Communicator c;
  c.nranks = 2;
  c.ranks_seen = 2;
  for (uint32_t i = 0; i < 2; ++i) {
    Process p;
    p.id = ProcessId{i};
    p.host = i == 0 ? "a" : "b";
    p.nccl_version = "2.28.9";
    p.net.network = "IB";
    p.bootstrap = {};
    p.bootstrap.interface = "eth0";
    p.bootstrap.address = i == 0 ? "10.0.0.1<4000>" : "10.0.0.2<4000>";
    p.environment["NCCL_DEBUG"] = {"INFO", {}};
    model.processes.push_back(p);
    Rank r;
    r.rank = static_cast<int32_t>(i);
    r.process = p.id;
    r.host = p.host;
    r.bus_id = "1b000";
    r.seen = true;
    r.nranks = 2;
    r.collectives = 7;
    r.reached = Stage::kRunning;
    c.ranks.push_back(r);
  }
  model.communicators.push_back(c);
  return model;
}

TEST_CASE("ranks that are alike are nothing to ask about", "[analyze]") { CHECK(RowsThere(Alike(), {}).empty()); }

TEST_CASE("what is odd about the ranks is there", "[analyze]") {
  const auto rows = [](const auto& change) {
    JobModel model = Alike();
    change(model, model.communicators[0], model.communicators[0].ranks[1], model.processes[1]);
    return RowsThere(model, {});
  };
  const auto one = [](const char* name) { return ViewNames{name}; };
  CHECK(rows([](auto&, auto& c, auto&, auto&) { c.nranks = 3; }) == ViewNames{"job:rank-unseen", "job:sizes-differ"});
  CHECK(rows([](auto&, auto&, auto& r, auto&) { r.seen = false; }) == one("job:rank-unseen"));
  CHECK(rows([](auto&, auto&, auto& r, auto&) { r.rank = 0; }) == one("job:rank-twice"));
  CHECK(rows([](auto&, auto&, auto& r, auto&) { r.nranks = 4; }) == one("job:sizes-differ"));
  CHECK(rows([](auto&, auto&, auto& r, auto&) { r.collectives = 6; }) == one("job:counts-differ"));
  CHECK(rows([](auto&, auto&, auto& r, auto&) { r.p2p_calls = 3; }) == one("job:sends"));
  CHECK(rows([](auto&, auto& c, auto&, auto&) { c.divergence.found = true; }) == one("job:calls-differ"));
  CHECK(rows([](auto&, auto&, auto& r, auto&) { r.host = "a"; }) == one("job:gpu-shared"));
  CHECK(rows([](auto& m, auto&, auto&, auto&) { m.communicators.clear(); }) == one("job:no-rank"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.nccl_version = "2.21.5"; }) == one("job:versions-differ"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.net.network = "Socket"; }) == one("job:networks-differ"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.bootstrap.interface = "eth1"; }) == one("job:interfaces-differ"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.bootstrap.address = "10.0.0.1<9>"; }) == one("job:address-shared"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.environment.clear(); }) == one("job:variables-differ"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.aborted = true; }) == one("job:process-aborted"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.log_just_ends = true; }) == one("job:process-silent"));
  CHECK(rows([](auto& m, auto&, auto&, auto&) { m.sources.clear(); }) == one("job:never-ready"));
  const auto joined = [&](std::string_view transport, int32_t to, std::string_view host = "a") {
    return rows([&](auto& m, auto& c, auto& r, auto&) {
      r.host = host;
      r.bus_id = "2b000";
      Edge edge;
      edge.comm = c.id;
      edge.from = 0;
      edge.to = to;
      edge.transport = transport;
      m.edges.push_back(edge);
    });
  };
  CHECK(joined("NET/Socket", 1) == one("job:network-in-host"));
  CHECK(joined("NET/Socket", 1, "b").empty());
  CHECK(joined("P2P/IPC", 1).empty());
  CHECK(joined("NET/IB", 0).empty());                           // to itself
  CHECK(joined("NET/IB", 7).empty());                           // of whom no host is known
  const SourceFacts devices = OneLine(EventKind::kNetDevices);  // of no network that is called Socket
  CHECK(rows([&](auto& m, auto&, auto&, auto&) { m.sources.push_back(&devices); }) == one("job:rdma-listed"));
  CHECK(rows([](auto&, auto&, auto&, auto& p) { p.environment["NCCL_DEBUG"].first = "WARN"; }) ==
        one("job:variables-differ"));
}

TEST_CASE("who is not ready has begun within the lines seen", "[analyze]") {
  JobModel model = Alike();
  model.communicators[0].ranks[1].reached = Stage::kChannels;
  CHECK(RowsThere(model, {}).empty());
  const SourceFacts facts = OneLine(EventKind::kCommInitStart);
  model.sources.push_back(&facts);
  CHECK(RowsThere(model, {}) == ViewNames{"job:rank-not-ready"});
}

}  // namespace
}  // namespace ncclwhy
