// COLL and CALL lines: what each rank issued, in order.
//   AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f count 65536 datatype 7 op 0 root 0 comm 0x55 [nranks=4] stream
//   0x5 ncclAllReduce(7f1fd2c00000,7f1fd2c00000,256,2,0,0,0x55d3,0x55d4)      (CALL, send, recv, count, type, op, root,
//   comm, stream) AllReduce: 33554432 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}      (TUNING)
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::Cursor;

struct Name {
  std::string_view text;
  uint8_t operation;
};
// Indices of kCollectiveNames.
constexpr Name kNames[] = {{"AllReduce", 1},  {"AllGather", 2},  {"ReduceScatter", 3}, {"Broadcast", 4},
                           {"Reduce", 5},     {"Send", 6},       {"Recv", 7},          {"AlltoAll", 8},
                           {"AllToAll", 8},   {"Gather", 9},     {"Scatter", 10},      {"PutSignal", 11},
                           {"Put", 11},       {"Signal", 12},    {"WaitSignal", 13},   {"Wait", 13},
                           {"AlltoAllv", 14}, {"AllToAllv", 14}, {"Bcast", 4}};
constexpr uint8_t kOther = 15;

uint8_t OperationOf(std::string_view name) {
  const size_t size = name.size();
  for (const Name& n : kNames) {
    // Size and a byte in the middle leave one name to compare: AllReduce, AllGather, Broadcast.
    if (n.text.size() == size && n.text[size / 2] == name[size / 2] && n.text == name) return n.operation;
  }
  return kOther;
}

struct CollLine {
  CollectiveCall call;
  uint64_t comm = 0;
  std::string_view comm_text;
  int64_t nranks = -1;
};

bool ParseColl(Cursor c, CollLine* out) {
  uint64_t buffer = 0;
  uint64_t small = 0;
  int32_t op = 0;
  if (!c.Literal(" opCount ") || !c.Hex(&out->call.op_count)) return false;
  if (!c.Literal(" sendbuff ") || !c.Hex(&buffer) || !c.Literal(" recvbuff ") || !c.Hex(&buffer)) return false;
  if (!c.Literal(" count ") || !c.Uint(&out->call.count)) return false;
  if (c.Literal(" size ") && !c.Uint(&buffer)) return false;  // 2.3.5
  if (!c.Literal(" datatype ") || !c.Uint(&small)) return false;
  out->call.datatype = static_cast<uint8_t>(small);
  if (!c.Literal(" op ") || !c.Int32(&op)) return false;
  out->call.op = static_cast<uint8_t>(op);
  if (!c.Literal(" root ") || !c.Int32(&out->call.root)) return false;
  if (!c.Literal(" comm ")) return false;
  const char* begin = c.position();
  if (!c.Hex(&out->comm)) return false;
  out->comm_text = {begin, static_cast<size_t>(c.position() - begin)};
  if (c.Literal(" [nranks=") && !(c.Int(&out->nranks) && c.Char(']'))) return false;
  // The stream ends the line; anything behind it is glued, nothing there is cut.
  if (!c.Literal(" stream ") || !c.Hex(&buffer)) return false;
  c.SkipSpaces();
  return c.AtEnd();
}

void Keep(const Extraction& x, const CollLine& coll) {
  x.Begin(EventKind::kCollective)
      .Set(FieldId::kOperation, kCollectiveNames[coll.call.operation])
      .Set(FieldId::kOpCount, static_cast<int64_t>(coll.call.op_count))
      .Set(FieldId::kCount, static_cast<int64_t>(coll.call.count))
      .Set(FieldId::kDatatype, coll.call.datatype)
      .Set(FieldId::kOp, coll.call.op)
      .Set(FieldId::kRoot, coll.call.root)
      .Set(FieldId::kComm, coll.comm_text);
}

}  // namespace

Known ExtractCollective(const Extraction& x, bool keep_every_collective) {
  const std::string_view body = x.body();
  Cursor c(body);
  size_t n = 0;
  while (n < body.size() && n < 24 && scan::IsAlpha(body[n])) ++n;
  if (n == 0 || n >= body.size() || body[n] != ':') return Known::kNo;
  c.Skip(n + 1);
  CollLine coll;
  if (ParseColl(c, &coll)) {
    coll.call.operation = OperationOf(body.substr(0, n));
    coll.call.line = x.line.number;
    x.out.AddCollective(coll.call, coll.comm, coll.comm_text, coll.nranks, false, x.line, x.process);
    if (keep_every_collective) Keep(x, coll);
    return Known::kQuiet;
  }
  // AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}
  uint64_t bytes = 0;
  const bool tuning = OperationOf(body.substr(0, n)) != kOther && c.Char(' ') && c.Uint(&bytes) &&
                      c.Literal(" Bytes -> ") && !scan::Contains(c.Rest(), ":");
  return tuning ? Known::kQuiet : Known::kNo;
}

namespace {

struct CallLine {
  CollLine coll;
  bool closed = false;  // the stream and the parenthesis behind it end the line
};

// What stands in the parentheses of a collective.
bool ParseCall(Cursor c, CallLine* out) {
  CollLine& coll = out->coll;
  uint64_t buffer = 0;
  uint64_t small = 0;
  int32_t op = 0;
  const auto comma = [&] {
    if (!c.Char(',')) return false;
    c.SkipSpaces();
    return true;
  };
  if (!c.Hex(&buffer) || !comma() || !c.Hex(&buffer) || !comma() || !c.Uint(&coll.call.count) || !comma() ||
      !c.Uint(&small) || !comma() || !c.Int32(&op) || !comma() || !c.Int32(&coll.call.root) || !comma()) {
    return false;
  }
  const char* begin = c.position();
  if (!c.Hex(&coll.comm) || !c.Char(',')) return false;
  coll.comm_text = {begin, static_cast<size_t>(c.position() - begin - 1)};
  coll.call.datatype = static_cast<uint8_t>(small);
  coll.call.op = static_cast<uint8_t>(op);
  out->closed = c.Hex(&buffer) && c.Char(')') && c.AtEnd();
  return true;
}

void AddCall(const Extraction& x, CollLine& coll, uint8_t operation) {
  coll.call.operation = operation;
  coll.call.line = x.line.number;
  x.out.AddCollective(coll.call, coll.comm, coll.comm_text, -1, true, x.line, x.process);
}

}  // namespace

// The CALL lines that nothing is glued to and nothing is cut from, which are nearly all; kNo for the others.
Known ExtractQuietCall(const Extraction& x) {
  const std::string_view body = x.body();
  if (body == "ncclGroupStart()" || body == "ncclGroupEnd()") return Known::kQuiet;
  Cursor c(body);
  if (!c.Literal("nccl")) return Known::kNo;
  const uint8_t operation = OperationOf(c.Until("("));
  CallLine call;
  if (operation == kOther || !c.Char('(') || !ParseCall(c, &call) || !call.closed) return Known::kNo;
  AddCall(x, call.coll, operation);
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
  CallLine call;
  if (!ParseCall(c, &call)) return Known::kYes;
  AddCall(x, call.coll, operation);
  return Known::kQuiet;
}

}  // namespace ncclwhy
