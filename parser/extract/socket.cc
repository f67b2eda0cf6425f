// Sockets: closed, refused, timed out, foreign.
//   socketProgress: Connection closed by remote peer node3<41243>      Net : Connection closed by remote peer
//   Net : Call to recv from 10.0.0.3<41243> failed : Connection reset by peer      Call to recv failed : …
//   socketStartConnect: Connect to 10.0.0.3<41243> failed : Connection refused
//   ncclSocketPollConnect: connect to 10.0.0.3<41243> returned Connection refused, exceeded error retry count after 35
//     attempts
//   Call to connect returned Connection refused, retrying
//   connect returned No route to host, exceeded error retry count (35)
//   socketFinalizeAccept: wrong magic 74656d2f20544547 != 6b41e0c57d2290fa
//   [Service thread] Accept failed …
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::Contains;
using scan::Find;

bool IsAddress(std::string_view host) {
  size_t dots = 0;
  bool colon = false;
  for (char c : host) {
    if (c == '.') ++dots;
    if (c == ':') colon = true;
    if (!scan::IsDigit(c) && c != '.' && c != ':' && scan::HexValue(c) < 0 && c != '%') return false;
  }
  return colon || dots == 3;
}

void WritePeer(std::string_view text, EventWriter& e) {
  // Only the endpoint itself: `10.0.0.3<41243> failed : …`, `fe80::1%eth0<41243>`
  const std::string_view word = scan::Cursor(text).Word();
  const Endpoint end = SplitEndpoint(word);
  std::string_view host = end.host;
  while (!host.empty() && (host.back() == ',' || host.back() == ':')) host.remove_suffix(1);
  if (host.empty() || host == "failed" || host == "returned") return;
  e.Set(IsAddress(host) ? FieldId::kAddress : FieldId::kPeerHost, host).Set(FieldId::kPort, end.port);
}

// `failed : Connection refused` → Connection refused; what follows in parentheses or behind a comma is NCCL's own.
std::string_view ErrnoText(std::string_view text, std::string_view key) {
  std::string_view rest = After(text, key);
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == ':')) rest.remove_prefix(1);
  const size_t end = rest.find_first_of(",(");
  return scan::Trim(rest.substr(0, end));
}

}  // namespace

Known ExtractSocket(const Extraction& x) {
  const std::string_view body = x.body();
  if (!x.Has(MessageSign::kSocket)) return Known::kNo;
  if (const std::string_view rest = After(body, "onnection closed by remote peer"); rest.data() != nullptr) {
    EventWriter e = x.Begin(EventKind::kSocketError);
    WritePeer(scan::Trim(rest), e);
    e.Set(FieldId::kPhase, "closed");
    return Known::kYes;
  }
  for (const auto& [key, phase] : {std::pair<std::string_view, std::string_view>{"Call to recv from ", "recv"},
                                   {"Call to send to ", "send"},
                                   {"Call to recv failed", "recv"},
                                   {"Call to send failed", "send"},
                                   {"Call to recv ", "recv"},
                                   {"onnect to ", "connect"}}) {
    const std::string_view rest = After(body, key);
    if (rest.data() == nullptr) continue;
    // `connect to` is said of other things too; only an endpoint or an error makes it a socket.
    const bool failed = Contains(body, "failed") || Contains(body, "returned");
    if (!failed) continue;
    if (phase == "connect" && !Contains(rest.substr(0, 96), "<")) continue;
    EventWriter e = x.Begin(EventKind::kSocketError);
    if (!scan::EndsWith(key, "failed")) WritePeer(rest, e);
    std::string_view text = ErrnoText(body, " failed :");
    if (text.empty()) text = ErrnoText(body, " failed");
    if (text.empty()) text = ErrnoText(body, " returned ");
    e.Set(FieldId::kErrnoText, text).Set(FieldId::kPhase, phase);
    return Known::kYes;
  }
  for (std::string_view key : {"Call to connect returned ", "connect returned ", "Call to connect failed : "}) {
    const std::string_view rest = After(body, key);
    if (rest.data() == nullptr) continue;
    x.Begin(EventKind::kSocketError).Set(FieldId::kErrnoText, ErrnoText(body, key)).Set(FieldId::kPhase, "connect");
    return Known::kYes;
  }
  if (Contains(body, "exceeded retries") || Contains(body, "exceeded timeouts") ||
      Contains(body, "exceeded error retry")) {
    x.Begin(EventKind::kSocketError).Set(FieldId::kPhase, "connect");
    return Known::kYes;
  }
  if (Contains(body, "Accept failed") || Contains(body, "wrong magic") || Contains(body, "valid magic from") ||
      Contains(body, "magic mismatch") || Contains(body, "wrong type")) {
    EventWriter e = x.Begin(EventKind::kSocketError);
    if (const std::string_view from = After(body, "valid magic from "); !from.empty()) WritePeer(from, e);
    if (const std::string_view text = After(body, "Accept failed"); !text.empty()) {
      e.Set(FieldId::kErrnoText, scan::Trim(text));
    }
    e.Set(FieldId::kPhase, "accept");
    return Known::kYes;
  }
  if (Contains(body, "ocket creation failed") || Contains(body, "Call to bind failed") ||
      Contains(body, "Call to listen failed") || Contains(body, "bind on ")) {
    x.Begin(EventKind::kSocketError).Set(FieldId::kErrnoText, ErrnoText(body, "failed")).Set(FieldId::kPhase, "bind");
    return Known::kYes;
  }
  return Find(body, "abort called") != std::string_view::npos ? Known::kYes : Known::kNo;
}

}  // namespace ncclwhy
