#include "report/fingerprint.h"

#include "base/sha256.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// Behind `host:pid:tid [dev] time`, which NCCL prints in front of a message: the message tells the failure.
// Host, pid and time are others in each run of the same failure.
std::string_view Message(std::string_view text) {
  for (const std::string_view marker : {"NCCL WARN ", "NCCL INFO ", "NCCL ERROR "}) {
    const size_t at = text.find(marker);
    if (at != std::string_view::npos) return text.substr(at + marker.size());
  }
  return text;
}

}  // namespace

// `NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory` keeps all of its words.
std::string WithoutNumbers(std::string_view text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    if (!IsAlnum(text[at])) {
      out.push_back(text[at++]);
      continue;
    }
    size_t end = at;
    bool digit = false;
    while (end < text.size() && IsAlnum(text[end])) digit |= IsDigit(text[end++]);
    const std::string_view word = text.substr(at, end - at);
    // A word with a digit in it is a name, number or id: nccl-x8Gh2k, mlx5, 0x7f00, 33030528.
    if (!digit) {
      out.append(word);
    } else {
      // An address is told from a number: 0x# and # are two fingerprints.
      out += word.starts_with("0x") ? "0x#" : "#";
    }
    at = end;
  }
  return out;
}

// The first direct line and the rule that found it: the same failure tomorrow, on other hosts, has the same one.
std::string Fingerprint(const Cause& cause) {
  std::string text;
  for (const Evidence& item : cause.evidence) {
    if (item.role == "direct") {
      text = item.rule + "\n" + WithoutNumbers(Message(item.text));
      break;
    }
  }
  return Sha256Hex(cause.id + "\n" + text);
}

}  // namespace ncclwhy
