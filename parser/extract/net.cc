// Which network and plug-in a process chose.
//   NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.3<0>
//   NET/Socket : Using [0]eth0:10.0.0.3<0> [1]eth1:10.1.0.3<0>
//   Using network Socket      Using network AWS Libfabric      Using internal Network IB (2.3)
//   NET/Plugin: Could not find: libnccl-net.so      NET/OFI Selected Provider is efa
#include "parser/extract/extract.h"
#include "parser/extract/heads.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::StartsWith;

constexpr std::string_view kPlugin[] = {"TUNER/",
                                        "PROFILER/",
                                        "Using tuner plugin",
                                        "Plugin Path",
                                        "P2P plugin",
                                        "Successfully loaded external",
                                        "Failed to open lib",
                                        "Assigned NET plugin",
                                        "Assigned GIN plugin",
                                        "Initialized NET plugin",
                                        "Failed to initialize NET plugin",
                                        "Using non-device net plugin",
                                        "dlvsym failed"};
constexpr Heads kPluginHeads(kPlugin);

// The first `IF:ADDR<PORT>` of a list.
void WriteInterface(std::string_view list, EventWriter e) {
  scan::Cursor c(list);
  if (c.Char('[')) {
    c.Until("]");
    c.Char(']');
  }
  const std::string_view interface = c.Until(":");
  if (!c.Char(':')) return;
  e.Set(FieldId::kInterface, interface).Set(FieldId::kAddress, SplitEndpoint(c.Word()).host);
}

Known Devices(const Extraction& x, std::string_view network, std::string_view list) {
  EventWriter e = x.Begin(EventKind::kNetDevices);
  e.Set(FieldId::kNetwork, network);
  const size_t oob = scan::Find(list, "; OOB ");
  e.Set(FieldId::kDevices, scan::Trim(list.substr(0, oob)));
  WriteInterface(
      oob == std::string_view::npos ? (network == "Socket" ? list : std::string_view{}) : list.substr(oob + 6), e);
  return Known::kYes;
}

// libnccl-net.so in any wording
std::string_view LibraryName(std::string_view body) {
  const size_t so = scan::Find(body, ".so");
  if (so == std::string_view::npos) return {};
  size_t begin = so;
  while (begin > 0 && (scan::IsHostChar(body[begin - 1]) || body[begin - 1] == '/' || body[begin - 1] == '.')) --begin;
  size_t end = so + 3;
  while (end + 1 < body.size() && body[end] == '.' && scan::IsDigit(body[end + 1]))
    end += 1 + scan::DigitsAt(body, end + 1);
  return body.substr(begin, end - begin);
}

}  // namespace

Known ExtractNet(const Extraction& x) {
  const std::string_view body = x.body();
  scan::Cursor c(body);
  if (c.Literal("NET/")) {
    const std::string_view name = c.Until(" :");
    c.SkipSpaces();
    c.Char(':');
    c.SkipSpaces();
    if (name == "Plugin") {
      x.Begin(EventKind::kPlugin).Set(FieldId::kLibrary, LibraryName(body));
      return Known::kYes;
    }
    if (c.Literal("Using ") && (c.Peek() == '[' || c.Peek() == '{')) return Devices(x, name, c.Rest());
    if (scan::Contains(c.Rest(), "No device found")) {
      x.Begin(EventKind::kNetDevices).Set(FieldId::kNetwork, name);
      return Known::kYes;
    }
    if (!name.empty() && scan::IsDigit(name[0])) return Known::kYes;  // NET/0-9 :GPU/… of the topology dump
    return name == "IB" || name == "Socket" || name == "OFI" || name == "UCX" || name == "MPI" ? Known::kYes
                                                                                               : Known::kNo;
  }
  if (c.Literal("Using network ") || c.Literal("Using internal Network ") || c.Literal("Using external Network ")) {
    x.Begin(EventKind::kNetChoice).Set(FieldId::kNetwork, scan::Trim(c.Rest()));
    return Known::kYes;
  }
  if (kPluginHeads.Begin(body) || scan::Contains(body.substr(0, 24), "/Plugin")) {
    x.Begin(EventKind::kPlugin).Set(FieldId::kLibrary, LibraryName(body));
    return Known::kYes;
  }
  // NET : Using interface eth1:10.91.64.20<0> (2.2)
  if (StartsWith(body, "NET : Using interface ")) {
    EventWriter e = x.Begin(EventKind::kBootstrapInterface);
    WriteInterface(body.substr(22), e);
    return Known::kYes;
  }
  return Known::kNo;
}

}  // namespace ncclwhy
