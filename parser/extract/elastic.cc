// torchrun's agent and its failure table, whose rows come one by one: what is known of a rank is kept until its rows
// `exitcode` and `traceback`, which make events.
//   E1205 04:36:11.120000 139935 torch/distributed/elastic/multiprocessing/api.py:897] failed (exitcode: -9)
//     local_rank: 0 (pid: 139940) of binary: python
//   Sending process 139941 closing signal SIGTERM
//   Root Cause (first observed failure):
//   [0]:
//     time      : 2025-03-01_12:00:00
//     host      : node3
//     rank      : 3 (local_rank: 3)
//     exitcode  : -9 (pid: 139940)
//     traceback : Signal 9 (SIGKILL) received by PID 139940
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::StartsWith;

// `  rank      : 3 (local_rank: 3)` → `3 (local_rank: 3)`; empty when the line is no such row.
std::string_view Row(std::string_view body, std::string_view key) {
  std::string_view rest = scan::Trim(body);
  if (!StartsWith(rest, key)) return {};
  rest = scan::Trim(rest.substr(key.size()));
  return StartsWith(rest, ": ") ? rest.substr(2) : std::string_view{};
}

}  // namespace

bool ExtractElastic(const Extraction& x, ForeignState& state) {
  const std::string_view body = x.body();
  if (body.empty()) return false;
  // failed (exitcode: -9) local_rank: 0 (pid: 139940)
  const auto behind = [&](TellingWord word, std::string_view text) {
    return x.Has(word) ? After(body, text) : std::string_view{};
  };
  if (const std::string_view rest = behind(TellingWord::kExitCode, "(exitcode: "); !rest.empty()) {
    x.Begin(EventKind::kTorchElastic)
        .Set(FieldId::kExitCode, scan::Cursor(rest).Until(")"))
        .Set(FieldId::kLocalRank, scan::WordAfter(rest, "local_rank: "))
        .Set(FieldId::kPid, scan::WordAfter(rest, "(pid: "));
    return true;
  }
  if (const std::string_view rest = behind(TellingWord::kSendingProcess, "Sending process "); !rest.empty()) {
    if (const std::string_view signal = After(rest, " closing signal "); !signal.empty()) {
      x.Begin(EventKind::kTorchElastic)
          .Set(FieldId::kPid, scan::Cursor(rest).Word())
          .Set(FieldId::kSignal, scan::Cursor(signal).Word());
      return true;
    }
  }
  if (body[0] != ' ') return false;
  if (const std::string_view host = Row(body, "host"); !host.empty()) {
    state.elastic_host.assign(host);
    return true;
  }
  if (const std::string_view rank = Row(body, "rank"); !rank.empty()) {
    state.elastic_rank.assign(scan::Cursor(rank).Word());
    state.elastic_local_rank.assign(scan::WordAfter(rank, "local_rank: "));
    return true;
  }
  if (const std::string_view exit = Row(body, "exitcode"); !exit.empty()) {
    x.Begin(EventKind::kTorchElastic)
        .Set(FieldId::kRank, state.elastic_rank)
        .Set(FieldId::kLocalRank, state.elastic_local_rank)
        .Set(FieldId::kHost, state.elastic_host)
        .Set(FieldId::kExitCode, scan::Cursor(exit).Word())
        .Set(FieldId::kPid, scan::WordAfter(exit, "pid: "));
    return true;
  }
  if (const std::string_view trace = Row(body, "traceback"); !trace.empty()) {
    if (!StartsWith(trace, "Signal ")) return true;
    x.Begin(EventKind::kSignal)
        .Set(FieldId::kSignal, scan::Cursor(trace.substr(7)).Word())
        .Set(FieldId::kPid, scan::WordAfter(trace, "PID "))
        .Set(FieldId::kRank, state.elastic_rank)
        .Set(FieldId::kHost, state.elastic_host);
    return true;
  }
  return false;
}

}  // namespace ncclwhy
