// PassageReader for what tools list of network devices and their ports.
#include <cctype>

#include "parser/scan.h"
#include "read/passage_reader.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::StartsWith;
using scan::Trim;

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

}  // namespace

// ibstat, ibstatus and ibv_devinfo: a device, its ports, and what each is in.
// A port takes what follows it until the next device or port begins; the device stays for its other ports.
bool PassageReader::ReadPort(const ParsedLine& line, std::string_view text, SourceFacts& facts) {
  const auto begin = [&](std::string_view device, std::string_view port) {
    EndPort(facts);
    port_.device = device;
    port_.port = port;
    port_.line = line.number;
    port_.offset = line.offset;
    return true;
  };
  const auto behind_colon = [&] { return Trim(After(text, ":")); };
  if (StartsWith(text, "CA '")) return begin(text.substr(4, text.find('\'', 4) - 4), "");
  if (StartsWith(text, "hca_id:")) return begin(behind_colon(), "");
  if (StartsWith(text, "Infiniband device '"))
    return begin(text.substr(19, text.find('\'', 19) - 19), scan::WordBehind(text, " port "));
  if (port_.device.empty()) return false;
  const std::string_view colon = behind_colon();
  if (StartsWith(text, "Port ") && text.back() == ':')
    return begin(std::string(port_.device), text.substr(5, text.size() - 6));
  if (StartsWith(text, "port:")) return begin(std::string(port_.device), colon);
  // "4: ACTIVE" of ibstatus, "PORT_ACTIVE (4)" of ibv_devinfo.
  const auto value = [&] {
    std::string_view word = scan::IsDigit(colon.empty() ? ' ' : colon[0]) ? Trim(After(colon, ":")) : colon;
    if (StartsWith(word, "PORT_")) word.remove_prefix(5);
    return Upper(word.substr(0, word.find(' ')));
  };
  if (StartsWith(text, "State:") || StartsWith(text, "state:")) {
    port_.state = value();
  } else if (StartsWith(text, "Physical state:") || StartsWith(text, "phys state:")) {
    port_.physical = value();
  } else if (StartsWith(text, "Link layer:") || StartsWith(text, "link_layer:")) {
    port_.layer = std::string(colon);
  } else {
    return false;
  }
  return true;
}

// "mlx5_2 port 1: DOWN, DISABLED" as the evidence, since no single line says so.
void PassageReader::EndPort(SourceFacts& facts) {
  if (port_.line != 0 && !port_.state.empty()) {
    ParsedLine line;
    line.number = port_.line;
    line.offset = port_.offset;
    const std::string text = port_.device + " port " + port_.port + ": " + port_.state +
                             (port_.physical.empty() ? "" : ", " + port_.physical);
    line.body = text;
    Builder(facts)
        .Begin(EventKind::kDeviceState, line, kNoProcess)
        .Set(FieldId::kDevice, port_.device)
        .Set(FieldId::kPort, port_.port)
        .Set(FieldId::kState, port_.state)
        .Set(FieldId::kPhase, port_.physical)
        .Set(FieldId::kNetwork, port_.layer);
  }
  const std::string device = std::move(port_.device);
  port_ = {};
  port_.device = device;
}

}  // namespace ncclwhy
