// InfiniBand and RoCE: completions, asynchronous events, queue pairs.
//   NET/IB : Got completion from peer 10.0.0.3<41243> with error 12, opcode 0, len 0, vendor err 129
//   NET/IB: Got completion from peer 10.0.0.3<41243> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0)
//     vendor_err=129
//     localGid ::ffff:10.0.0.1 remoteGids::ffff:10.0.0.3 hca mlx5_2
//   NET/IB : mlx5_0:1 Got async event : port error      mlx5_0:1 Got non-fatal async event: port error(10)
//   Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1, curr state INIT, next state RTR,
//     local GID index 3, local GID ::ffff:10.0.0.1, remote GID ::ffff:10.0.0.3
//   NET/IB: Dev 0 Port 1 qpn 1234 mtu 5 GID 3 (0/A64A8C0FFFF0000)
// Indented: the rest of the line above.
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::Contains;
using scan::WordAfter;

// `status=IBV_WC_RETRY_EXC_ERR(12)`, `status=12`, `error 12,`
void WriteStatus(std::string_view body, EventWriter& e) {
  std::string_view rest = After(body, "status=");
  if (rest.empty()) rest = After(body, "with error ");
  const std::string_view word = scan::Cursor(rest).Until(" ,");
  const size_t open = word.find('(');
  if (open == std::string_view::npos) {
    e.Set(FieldId::kStatus, word);
    return;
  }
  e.Set(FieldId::kStatusName, word.substr(0, open));
  e.Set(FieldId::kStatus, scan::Cursor(word.substr(open + 1)).Until(")"));
}

Known Completion(const Extraction& x) {
  const std::string_view body = x.body();
  EventWriter e = x.Begin(EventKind::kIbCompletion);
  if (!e.kept()) return Known::kYes;
  if (const std::string_view peer = After(body, "from peer "); !peer.empty()) {
    const Endpoint end = SplitEndpoint(scan::Cursor(peer).Word());
    e.Set(FieldId::kAddress, end.host).Set(FieldId::kPort, end.port);
  }
  WriteStatus(body, e);
  std::string_view opcode = After(body, "opcode=");
  if (opcode.empty()) opcode = After(body, "opcode ");
  e.Set(FieldId::kOpcode, scan::Cursor(opcode).Until(" ,"));
  std::string_view vendor = After(body, "vendor err ");
  if (vendor.empty()) vendor = After(body, "vendor_err=");
  if (vendor.empty()) vendor = After(body, "vendor_err ");
  e.Set(FieldId::kVendorErr, scan::Cursor(vendor).Until(" ,"));
  std::string_view request = WordAfter(body, "req_type=");
  if (request.empty()) {
    // `vendor err 129 (Send)`
    const std::string_view open = After(vendor, " (");
    if (!open.empty() && scan::IsUpper(open[0])) request = scan::Cursor(open).Until(")");
  }
  e.Set(FieldId::kRequest, request);
  e.Set(FieldId::kLocalGid, WordAfter(body, "localGid "));
  // 2.20 and newer print no blank behind `remoteGids`.
  std::string_view remote = After(body, "remoteGids");
  if (remote.empty()) remote = After(body, "remoteGid ");
  e.Set(FieldId::kRemoteGid, scan::Cursor(scan::Trim(remote)).Until(" ,"));
  e.Set(FieldId::kDevice, WordAfter(body, "hca "));
  return Known::kYes;
}

// `mlx5_0:1 Got …` or `NET/IB : mlx5_0:1 Got …`: the word in front of `at`, split at its colon.
void WriteDevicePort(std::string_view before, EventWriter& e) {
  before = scan::Trim(before);
  const size_t blank = before.find_last_of(' ');
  const std::string_view word = blank == std::string_view::npos ? before : before.substr(blank + 1);
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  e.Set(FieldId::kDevice, word.substr(0, colon)).Set(FieldId::kPort, word.substr(colon + 1));
}

Known Async(const Extraction& x) {
  const std::string_view body = x.body();
  EventWriter e = x.Begin(EventKind::kIbAsyncEvent);
  if (!e.kept()) return Known::kYes;
  size_t at = scan::Find(body, "Got ");
  if (at == std::string_view::npos) at = scan::Find(body, "async fatal event");
  if (at != std::string_view::npos) WriteDevicePort(body.substr(0, at), e);
  const std::string_view text = After(After(body, "event"), ": ");  // `event: …`, `event : …`, `event on QP (0x55): …`
  const size_t end = text.find_first_of("(,");
  e.Set(FieldId::kEvent, scan::Trim(text.substr(0, end)));
  if (Contains(body, "fatal event") && !Contains(body, "non-fatal")) e.Set(FieldId::kPhase, "fatal");
  return Known::kYes;
}

// `GID 3 (0/A64A8C0FFFF0000)`: the two words as printed, empty for a line with a LID.
std::string_view GidWords(std::string_view body) {
  const std::string_view rest = After(After(body, " GID "), " (");
  const std::string_view words = scan::Cursor(rest).Until(")");
  return Contains(words, "/") ? words : std::string_view();
}

Known ModifyQp(const Extraction& x) {
  const std::string_view body = x.body();
  EventWriter e = x.Begin(EventKind::kIbQp);
  if (!e.kept()) return Known::kYes;
  std::string_view error = After(body, "failed with error ");
  if (error.empty()) {
    error = After(body, "failed with ");
    const size_t digits = scan::DigitsAt(error, 0);
    if (digits > 0) error.remove_prefix(digits);
  }
  const size_t number = scan::Find(error, " errno ");
  e.Set(FieldId::kErrnoText, scan::Trim(error.substr(0, number).substr(0, error.find(','))));
  if (const std::string_view dev = After(body, "on dev "); !dev.empty()) {
    const std::string_view word = scan::Cursor(dev).Until(" ,");
    const size_t colon = word.find(':');
    e.Set(FieldId::kDevice, word.substr(0, colon));
    if (colon != std::string_view::npos) e.Set(FieldId::kPort, word.substr(colon + 1));
  }
  e.Set(FieldId::kPhase, WordAfter(body, "next state "));
  e.Set(FieldId::kGidIndex, WordAfter(body, "local GID index "));
  e.Set(FieldId::kGid, WordAfter(After(body, "local GID index "), "local GID "));
  e.Set(FieldId::kRemoteGid, WordAfter(body, "remote GID "));
  return Known::kYes;
}

}  // namespace

Known ExtractIb(const Extraction& x) {
  const std::string_view body = x.body();
  if (Contains(body, "Got completion")) return Completion(x);
  if (x.Has(MessageSign::kIb)) {
    const bool modify = !Contains(body, "async event") && !Contains(body, "async fatal event") &&
                        !Contains(body, "async error event") && !Contains(body, "GID table changed");
    return modify ? ModifyQp(x) : Async(x);
  }
  // NET/IB: Dev 0 Port 1 qpn 1234 mtu 5 LID 7
  if (scan::StartsWith(body, "NET/IB") && Contains(body, " qpn ")) {
    std::string_view device = WordAfter(body, "IbDev ");
    if (device.empty()) device = WordAfter(body, "Dev ");
    x.Begin(EventKind::kIbQp)
        .Set(FieldId::kDevice, device)
        .Set(FieldId::kPort, WordAfter(body, "Port "))
        .Set(FieldId::kQpn, WordAfter(body, "qpn "))
        .Set(FieldId::kMtu, WordAfter(body, "mtu "))
        .Set(FieldId::kGidIndex, WordAfter(body, " GID "))
        .Set(FieldId::kGid, GidWords(body));
    return Known::kYes;
  }
  return scan::StartsWith(body, "HINT:") || scan::StartsWith(body, "Call to ibv_") ? Known::kYes : Known::kNo;
}

}  // namespace ncclwhy
