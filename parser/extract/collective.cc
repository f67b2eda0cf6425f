// COLL and CALL lines: what each rank issued, in order.
//   AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f count 65536 datatype 7 op 0 root 0 comm 0x55 [nranks=4] stream 0x5
//   AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f acc (nil) count … stream 0x5 task 0 globalrank 3   (RCCL)
//   ncclAllReduce(7f1fd2c00000,7f1fd2c00000,256,2,0,0,0x55d3,0x55d4)
//                (send, recv, count, type, op, root, comm, stream)
//   AllReduce: 33554432 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}
#include "parser/extract/coll_buffers.h"
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::Cursor;

constexpr uint8_t kOther = 15;

// Of a constant, and of the same size: a load or two instead of a call.
template <size_t N>
[[gnu::always_inline]] inline bool Is(std::string_view name, const char (&text)[N]) {
  return std::memcmp(name.data(), text, N - 1) == 0;
}

// Indices of kCollectiveNames.
uint8_t OperationOf(std::string_view name) {
  switch (name.size()) {
    case 3:
      return Is(name, "Put") ? 11 : kOther;
    case 4:
      return Is(name, "Send") ? 6 : Is(name, "Recv") ? 7 : Is(name, "Wait") ? 13 : kOther;
    case 5:
      return Is(name, "Bcast") ? 4 : kOther;
    case 6:
      return Is(name, "Reduce") ? 5 : Is(name, "Gather") ? 9 : Is(name, "Signal") ? 12 : kOther;
    case 7:
      return Is(name, "Scatter") ? 10 : kOther;
    case 8:
      return Is(name, "AlltoAll") || Is(name, "AllToAll") ? 8 : kOther;
    case 9:
      if (Is(name, "AllReduce")) return 1;
      if (Is(name, "AllGather")) return 2;
      if (Is(name, "Broadcast")) return 4;
      if (Is(name, "PutSignal")) return 11;
      return Is(name, "AlltoAllv") || Is(name, "AllToAllv") ? 14 : kOther;
    case 10:
      return Is(name, "WaitSignal") ? 13 : kOther;
    case 13:
      return Is(name, "ReduceScatter") ? 3 : kOther;
    default:
      return kOther;
  }
}

// The name in front of the colon, and what it is.
struct Name {
  size_t size = 0;  // 0: no name
  uint8_t operation = kOther;
};
Name NameOf(std::string_view body) {
  constexpr size_t kUsual = 9;  // AllReduce, AllGather, Broadcast
  if (body.size() > kUsual && body[kUsual] == ':') {
    const uint8_t operation = OperationOf(body.substr(0, kUsual));
    if (operation != kOther) return {kUsual, operation};
  }
  size_t n = 0;
  while (n < body.size() && n < 24 && scan::IsAlpha(body[n])) ++n;
  if (n == 0 || n >= body.size() || body[n] != ':') return {};
  return {n, OperationOf(body.substr(0, n))};
}

// ` opCount 1f sendbuff 0x7f recvbuff 0x7f`
bool ParseCollHead(Cursor& c, uint64_t* op_count) {
  return c.Literal(" opCount ") && c.Hex(op_count) && SkipCollBuffers(c);
}

// What stands behind that, to the end of the line.
bool ParseCollTail(Cursor c, FactsBuilder::Collective* out) {
  uint64_t size = 0;
  uint64_t small = 0;
  int32_t op = 0;
  if (!c.Literal(" count ") || !c.Uint(&out->call.count)) return false;
  if (c.Literal(" size ") && !c.Uint(&size)) return false;  // 2.3.5
  if (!c.Literal(" datatype ") || !c.Uint(&small)) return false;
  out->call.datatype = static_cast<uint8_t>(small);
  if (!c.Literal(" op ") || !c.Int32(&op)) return false;
  out->call.op = static_cast<uint8_t>(op);
  if (!c.Literal(" root ") || !c.Int32(&out->call.root)) return false;
  if (!c.Literal(" comm ")) return false;
  const char* const comm = c.position();
  if (!c.Hex(&out->comm)) return false;
  out->comm_text = {comm, static_cast<size_t>(c.position() - comm)};
  if (c.Literal(" [nranks=") && !(c.Int(&out->nranks) && c.Char(']'))) return false;
  // The stream ends the line; anything behind it is glued, nothing there is cut.
  if (!c.Literal(" stream ") || !c.SkipHex()) return false;
  // RCCL: ` task 0 globalrank 3`
  uint64_t ignored = 0;
  if (c.Literal(" task ") && !c.Uint(&ignored)) return false;
  if (c.Literal(" globalrank ") && !c.Uint(&ignored)) return false;
  c.SkipSpaces();
  return c.AtEnd();
}

void Keep(const Extraction& x, const CollectiveCall& call, std::string_view comm) {
  x.Begin(EventKind::kCollective)
      .Set(FieldId::kOperation, kCollectiveNames[call.operation])
      .Set(FieldId::kOpCount, static_cast<int64_t>(call.op_count))
      .Set(FieldId::kCount, static_cast<int64_t>(call.count))
      .Set(FieldId::kDatatype, call.datatype)
      .Set(FieldId::kOp, call.op)
      .Set(FieldId::kRoot, call.root)
      .Set(FieldId::kComm, comm);
}

}  // namespace

Known ExtractCollective(const Extraction& x, bool keep_every_collective) {
  const std::string_view body = x.body();
  Cursor c(body);
  uint64_t bytes = 0;
  // Of old, without the call: 4096 Bytes -> Algo 1 proto 2 time 42.004096
  if (Cursor old = c; old.Uint(&bytes)) return old.Literal(" Bytes -> ") ? Known::kQuiet : Known::kNo;
  const Name name = NameOf(body);
  if (name.size == 0) return Known::kNo;
  c.Skip(name.size + 1);
  FactsBuilder::Collective collective;
  if (Cursor tail = c; ParseCollHead(tail, &collective.call.op_count)) {
    if (!ParseCollTail(tail, &collective)) return Known::kNo;
    collective.call.operation = name.operation;
    collective.call.line = x.line.number;
    x.out.AddCollective(collective, x.line, x.process);
    if (keep_every_collective) Keep(x, collective.call, collective.comm_text);
    return Known::kQuiet;
  }
  // AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}
  const bool tuning = name.operation != kOther && c.Char(' ') && c.Uint(&bytes) && c.Literal(" Bytes -> ") &&
                      !scan::Contains(c.Rest(), ":");
  return tuning ? Known::kQuiet : Known::kNo;
}

namespace {

// What stands in the parentheses of a collective. `*closed`: the stream and the parenthesis behind it end the line.
bool ParseCall(Cursor c, FactsBuilder::Collective* out, bool* closed) {
  uint64_t small = 0;
  int32_t op = 0;
  const auto comma = [&] {
    if (!c.Char(',')) return false;
    c.SkipSpaces();
    return true;
  };
  if (!c.SkipHex() || !comma() || !c.SkipHex() || !comma() || !c.Uint(&out->call.count) || !comma() ||
      !c.Uint(&small) || !comma() || !c.Int32(&op) || !comma() || !c.Int32(&out->call.root) || !comma()) {
    return false;
  }
  const char* begin = c.position();
  if (!c.Hex(&out->comm) || !c.Char(',')) return false;
  out->comm_text = {begin, static_cast<size_t>(c.position() - begin - 1)};
  out->call.datatype = static_cast<uint8_t>(small);
  out->call.op = static_cast<uint8_t>(op);
  *closed = c.SkipHex() && c.Char(')') && c.AtEnd();
  return true;
}

void AddCall(const Extraction& x, FactsBuilder::Collective& call, uint8_t operation) {
  call.call.operation = operation;
  call.call.line = x.line.number;
  call.from_call = true;
  x.out.AddCollective(call, x.line, x.process);
}

}  // namespace

// The CALL lines that nothing is glued to and nothing is cut from, which are nearly all; kNo for the others.
Known ExtractQuietCall(const Extraction& x) {
  const std::string_view body = x.body();
  if (body == "ncclGroupStart()" || body == "ncclGroupEnd()") return Known::kQuiet;
  Cursor c(body);
  if (!c.Literal("nccl")) return Known::kNo;
  const uint8_t operation = OperationOf(c.Until("("));
  FactsBuilder::Collective call;
  bool closed = false;
  if (operation == kOther || !c.Char('(') || !ParseCall(c, &call, &closed) || !closed) return Known::kNo;
  AddCall(x, call, operation);
  return Known::kQuiet;
}

// CALL lines. Collectives join the stream of their communicator; everything else is only counted.
Known ExtractCall(const Extraction& x) {
  const std::string_view body = x.body();
  Cursor c(body);
  if (!c.Literal("nccl")) return Known::kNo;
  const std::string_view name = c.Until("(");
  if (!c.Char('(') || body.back() != ')') return Known::kNo;
  const uint8_t operation = OperationOf(name);
  if (operation == kOther) {
    if (name == "GroupStart" || name == "GroupEnd") return Known::kQuiet;
    x.Begin(EventKind::kCall).Set(FieldId::kFunction, body.substr(0, 4 + name.size()));
    return Known::kYes;
  }
  FactsBuilder::Collective call;
  bool closed = false;
  if (!ParseCall(c, &call, &closed)) return Known::kYes;
  AddCall(x, call, operation);
  return Known::kQuiet;
}

}  // namespace ncclwhy
