// COLL and CALL lines: what each rank issued, in order.
//   AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f count 65536 datatype 7 op 0 root 0 comm 0x55 [nranks=4] stream
//   0x5 ncclAllReduce(7f1fd2c00000,7f1fd2c00000,256,2,0,0,0x55d3,0x55d4)      (CALL, send, recv, count, type, op, root,
//   comm, stream) AllReduce: 33554432 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}      (TUNING)
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
constexpr std::string_view kOpCount = " opCount ";
[[gnu::always_inline]] inline bool ParseCollHead(Cursor& c, uint64_t* op_count, const char** buffers) {
  if (!c.Literal(kOpCount) || !c.Hex(op_count)) return false;
  *buffers = c.position();
  return c.Literal(" sendbuff ") && c.SkipHex() && c.Literal(" recvbuff ") && c.SkipHex();
}

// What stands behind that, to the end of the line.
bool ParseCollTail(std::string_view text, CollLine* out) {
  Cursor c(text);
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
  out->comm_begin = static_cast<uint32_t>(c.position() - text.data());
  if (!c.Hex(&out->comm)) return false;
  out->comm_size = static_cast<uint32_t>(c.position() - text.data()) - out->comm_begin;
  if (c.Literal(" [nranks=") && !(c.Int(&out->nranks) && c.Char(']'))) return false;
  // The stream ends the line; anything behind it is glued, nothing there is cut.
  if (!c.Literal(" stream ") || !c.SkipHex()) return false;
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
  const Name name = NameOf(body);
  if (name.size == 0) return Known::kNo;
  c.Skip(name.size + 1);
  uint64_t op_count = 0;
  Cursor head = c;
  const char* buffers_at = nullptr;
  if (ParseCollHead(head, &op_count, &buffers_at)) {
    const std::string_view tail = head.Rest();
    const size_t front = name.size + 1 + kOpCount.size();
    const size_t buffers = static_cast<size_t>(buffers_at - body.data());
    const CollLineMemo::Parts parts{body.substr(0, front), body.substr(buffers, body.size() - tail.size() - buffers),
                                    tail};
    CollLineMemo& memo = x.out.coll_lines();
    CollLine* const known = memo.Find(x.process, parts);
    CollLine parsed;
    if (known == nullptr && !ParseCollTail(tail, &parsed)) return Known::kNo;
    CollLine& said = known == nullptr ? parsed : *known;
    said.call.operation = name.operation;
    CollectiveCall call = said.call;
    call.op_count = op_count;
    call.line = x.line.number;
    const std::string_view comm = tail.substr(said.comm_begin, said.comm_size);
    x.out.AddCollective({call, said.comm, comm, said.nranks, false}, x.line, x.process, said);
    if (known == nullptr) memo.Keep(x.process, parts, said);
    if (keep_every_collective) Keep(x, call, comm);
    return Known::kQuiet;
  }
  // AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}
  uint64_t bytes = 0;
  const bool tuning = name.operation != kOther && c.Char(' ') && c.Uint(&bytes) && c.Literal(" Bytes -> ") &&
                      !scan::Contains(c.Rest(), ":");
  if (!tuning) return Known::kNo;
  CollLine said;
  said.issued = false;
  x.out.coll_lines().KeepWhole(x.process, body, said);
  return Known::kQuiet;
}

namespace {

struct CallLine {
  CollectiveCall call;
  uint64_t comm = 0;
  std::string_view comm_text;
  bool closed = false;  // the stream and the parenthesis behind it end the line
};

// What stands in the parentheses of a collective.
bool ParseCall(Cursor c, CallLine* out) {
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
  out->closed = c.SkipHex() && c.Char(')') && c.AtEnd();
  return true;
}

CollLine AddCall(const Extraction& x, CallLine& line, uint8_t operation) {
  line.call.operation = operation;
  line.call.line = x.line.number;
  CollLine said;
  said.from_call = true;
  said.call = line.call;
  said.comm = line.comm;
  x.out.AddCollective({line.call, line.comm, line.comm_text, -1, true}, x.line, x.process, said);
  return said;
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
  x.out.coll_lines().KeepWhole(x.process, body, AddCall(x, call, operation));
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
  AddCall(x, call, operation);
  return Known::kQuiet;
}

}  // namespace ncclwhy
