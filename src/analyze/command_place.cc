#include "analyze/command_place.h"

#include <algorithm>

#include "base/text.h"

namespace ncclwhy {
namespace {

// A command for each of more hosts is nobody's to paste.
constexpr size_t kHosts = 3;

// What a prompt may show: a log's value that is no host's name stays out of it.
bool IsHostName(std::string_view name) {
  return !name.empty() && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_'; });
}

// "sudo dmesg -T | grep -i xid; nvidia-smi -L" starts dmesg, grep and nvidia-smi.
bool LooksAtHost(const KnowledgeBase& kb, std::string_view command) {
  bool first = true;
  for (size_t begin = 0; begin < command.size();) {
    const size_t end = std::min(command.find_first_of(" \t;|&(\n", begin), command.size());
    const std::string_view word = command.substr(begin, end - begin);
    // Whatever reads it, what stands there is this machine's.
    if (word.starts_with("/proc/")) return true;
    if (!word.empty() && word != "sudo") {
      // What is given to mpirun is asked where that starts it, whoever types the command.
      //   mpirun --map-by ppr:1:node bash -c 'hostname; ulimit -l'
      const auto program = first ? kb.FindCode("host_program", word, Language::kEnglish) : std::nullopt;
      if (program) return !program->more.contains("elsewhere");
      first = false;
    }
    if (end < command.size() && command[end] != ' ' && command[end] != '\t') first = true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::string HostToRunOn(const KnowledgeBase& kb, std::string_view command, const std::vector<Culprit>& culprits) {
  std::vector<std::string_view> hosts;
  for (const Culprit& culprit : culprits) {
    if (culprit.host.empty() || std::find(hosts.begin(), hosts.end(), culprit.host) != hosts.end()) continue;
    // A command that names the host is meant for another one, from which it looks at it.
    if (!IsHostName(culprit.host) || command.find(culprit.host) != std::string_view::npos) return {};
    hosts.push_back(culprit.host);
  }
  if (hosts.empty() || hosts.size() > kHosts || !LooksAtHost(kb, command)) return {};
  std::string out;
  for (const std::string_view host : hosts) (out += out.empty() ? "" : ",") += host;
  return out;
}

}  // namespace ncclwhy
