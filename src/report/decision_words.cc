#include "report/decision_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/phrases.h"

namespace ncclwhy {

std::string DecisionSentence(const Decision& decision, const Words& words) {
  std::string out(words.undecided), without;
  switch (decision.action) {
    case Action::kRerun:
      out = words.rerun;
      break;
    case Action::kRerunWithout:
      for (const std::vector<std::string>* names : {&decision.hosts, &decision.devices}) {
        for (const std::string& name : *names) {
          // A device is told with its host: the host alone would say more than is meant.
          //    gpu-a17 mlx5_2
          const bool said = std::any_of(decision.devices.begin(), decision.devices.end(),
                                        [&](const std::string& device) { return device.starts_with(name + " "); });
          if (said) continue;
          const size_t host = names == &decision.devices ? name.find(' ') : std::string::npos;
          without += (without.empty() ? "" : ", ") +
                     (host == std::string::npos
                          ? name
                          : fmt::format(fmt::runtime(words.device_of), name.substr(0, host), name.substr(host + 1)));
        }
      }
      out = Filled(words.rerun_without, without);
      break;
    case Action::kFixFirst:
      out = words.fix_first;
      break;
    case Action::kUndecided:
      break;
  }
  if (decision.end_first && !decision.look_first) {
    const bool open = decision.action == Action::kUndecided;
    out = std::string(words.end_first) + (open ? "" : std::string(words.then_separator) + out);
    if (open) return out;
  }
  if (decision.why.empty()) return out;
  // First what has to be found out: the rerun is only the end of the sentence.
  if (decision.look_first) {
    return decision.why + std::string(words.then_separator) +
           std::string(decision.end_first ? words.then_end_and_rerun : words.then_rerun);
  }
  return out + std::string(words.why_separator) + decision.why;
}

std::string ShortDecision(const Decision& decision, const Words& words) {
  Decision brief = decision;
  if (!brief.look_first) brief.why.clear();
  const std::string sentence = DecisionSentence(brief, words);
  const bool one_line = !decision.command.empty() && decision.command.find('\n') == std::string::npos;
  return sentence + (one_line ? Aside(decision.command) : std::string());
}

std::string DecisionCommand(const Decision& decision) {
  return decision.command.empty() ? std::string() : "  " + Prompt({}, decision.command) + decision.command + "\n";
}

}  // namespace ncclwhy
