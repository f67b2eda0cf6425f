// Channel lists, edges, rings and trees. Edges become ConnectionFacts; the rest is uneventful.
//   Channel 00/02 : 0 1 2 3                                           ring order, no edge
//   Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
//   Channel 01/0 : 3[1] -> 0[0] [receive] via NET/IB/0(1)/GDRDMA(PCI)/Shared
//   Ring 00 : 0[1b000] -> 1[1c000] via P2P/IPC                        2.3 – 2.6
//   CollNet 00/0 : 1 [receive] via COLLNET/SHARP/0
//   Trees [0] 1/-1/-1->0->-1      Tree 0 : -1 -> 0 -> 1/-1/-1      Ring 00 : 3 -> 0 -> 1
#include <array>

#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::Cursor;
using scan::StartsWith;

// Which bytes a text may hold, for looks at every byte of the commonest lines.
struct ByteSet {
  bool has[256] = {};
  constexpr explicit ByteSet(std::string_view bytes, bool letters = false) {
    for (const char c : bytes) has[static_cast<unsigned char>(c)] = true;
    for (int c = '0'; c <= '9'; ++c) has[c] = true;
    for (int c = 'a'; letters && c <= 'z'; ++c) has[c] = has[c - 'a' + 'A'] = true;
  }
  bool Only(std::string_view text) const {
    bool only = true;
    for (const char c : text) only = only && has[static_cast<unsigned char>(c)];
    return only;
  }
};
constexpr ByteSet kTransportBytes("/()_-. []", true);
constexpr ByteSet kListBytes(" -.");
constexpr ByteSet kTreeBytes(" -/>|[]:");

// `[send] via NET/AWS Libfabric/3/GDRDMA`. False when the text is cut or something is glued to it.
bool ParseTransport(std::string_view text, FactsBuilder::Edge* edge) {
  if (text.empty() || text.size() > 96 || !kTransportBytes.Only(text)) return false;
  if (StartsWith(text, "P2P/")) {
    const size_t end = text.find('/', 4);
    edge->transport = text.substr(0, end);
    return true;
  }
  if (StartsWith(text, "SHM") || StartsWith(text, "direct shared memory")) {
    edge->transport = "SHM";
    return true;
  }
  const bool net = StartsWith(text, "NET/");
  if (!net && !StartsWith(text, "COLLNET/")) return false;
  // The device is the first component of digits; a plug-in's name may hold blanks.
  for (size_t at = net ? 4 : 8; at < text.size();) {
    const size_t slash = text.find('/', at);
    const std::string_view part = text.substr(at, slash == std::string_view::npos ? slash : slash - at);
    const size_t digits = scan::DigitsAt(part, 0);
    if (digits > 0 && (digits == part.size() || part[digits] == '(' || part[digits] == ' ')) {
      edge->transport = text.substr(0, at - 1);
      edge->device = part.substr(0, digits);
      break;
    }
    if (slash == std::string_view::npos) return false;
    at = slash + 1;
  }
  edge->gdr = scan::Contains(text, "/GDRDMA");
  edge->shared = scan::Contains(text, "/Shared");
  return !edge->transport.empty();
}

// `0[1b000]`, `3[1]`, `2`
bool TakeRank(Cursor& c, int32_t* rank) {
  if (!c.Int32(rank)) return false;
  if (c.Char('[')) {
    c.Until("]");
    return c.Char(']');
  }
  return true;
}

Known Edge(const Extraction& x, Cursor c) {
  FactsBuilder::Edge edge;
  if (!TakeRank(c, &edge.from)) return Known::kNo;
  if (c.Literal(" -> ")) {
    if (!TakeRank(c, &edge.to)) return Known::kNo;
    if (c.Literal(" -> ")) return kTreeBytes.Only(c.Rest()) ? Known::kQuiet : Known::kNo;  // Ring 00 : 3 -> 0 -> 1
  } else {
    edge.to = edge.from;  // CollNet 00/0 : 1 [receive] via …
  }
  if (c.Literal(" [send]")) edge.direction = 's';
  if (c.Literal(" [receive]")) edge.direction = 'r';
  if (!c.Literal(" via ") || !ParseTransport(c.Rest(), &edge)) return Known::kNo;
  x.out.AddEdge(edge, x.line, x.process);
  return Known::kQuiet;
}

Known Plain(const Extraction& x) {
  static constexpr std::array<std::string_view, 9> kConnectedHeads = {
      "Connected all rings",      "Connected all trees", "Connected NVLS tree",
      "Connected binomial trees", "Connected to proxy",  "Connected CollNet",
      "Connected collnet",        "Connected NVLS",      "Connected "};
  const std::string_view body = x.body();
  if (StartsWith(body, "Connected to proxy")) return Known::kNo;
  for (std::string_view head : kConnectedHeads) {
    if (!StartsWith(body, head)) continue;
    x.Begin(EventKind::kConnected);
    return Known::kYes;
  }
  return Known::kNo;
}

}  // namespace

Known ExtractChannel(const Extraction& x) {
  const std::string_view body = x.body();
  Cursor c(body);
  uint64_t v = 0;
  if (c.Literal("Channel ") || c.Literal("Ring ") || c.Literal("CollNet ") || c.Literal("Tree ")) {
    if (!c.Uint(&v)) return Known::kNo;
    if (c.Char('/') && !c.Uint(&v)) return Known::kNo;
    if (!c.Literal(" : ")) return Known::kNo;
    c.SkipSpaces();
    if (body[0] == 'T') return kTreeBytes.Only(c.Rest()) ? Known::kQuiet : Known::kNo;
    if (const Known edge = Edge(x, c); edge != Known::kNo) return edge;
    return kListBytes.Only(c.Rest()) ? Known::kQuiet : Known::kNo;
  }
  if (c.Literal("Trees ")) return kTreeBytes.Only(c.Rest()) ? Known::kQuiet : Known::kNo;
  if (StartsWith(body, "Connected ")) return Plain(x);
  return Known::kNo;
}

}  // namespace ncclwhy
