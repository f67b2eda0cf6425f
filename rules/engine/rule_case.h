// The cases of a rule: logs beside it in which it must fire or stay silent, and whom it must blame there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/rule.h"

namespace ncclwhy {

// One log, or a directory of logs that belong to one job.
//    shm/shm-segment-too-old/fires-2.28.log          a case of one log
//    net/net-peer-closed/fires-two-hosts/rank0.log   one of several logs
struct RuleCase {
  std::string rule;                // id
  std::string name;                // "fires-2.28", without extension
  bool fires = false;              // else it must stay silent
  std::vector<std::string> files;  // sorted
  // Whom the rule's findings must blame, best first, as expect.json beside rule.json says; an empty list is nobody.
  struct Who {
    int32_t rank = -1;  // -1: any
    std::string host;   // empty: any
  };
  std::optional<std::vector<Who>> blames;
};

// The cases beside the rule.json `rule_file`, sorted by name. What is wrong with expect.json is added to `complaints`,
// which may be null: {"fires-2.28": {"rank": 3, "host": "gpu-a17"}, "fires-old": [], "fires-two": [{…}, {…}]}.
std::vector<RuleCase> FindRuleCases(std::string_view rule_id, std::string_view rule_file,
                                    std::vector<std::string>* complaints = nullptr);

// Whether a case of `rule` must say whom it blames: who is to blame comes from what the rule captured or counted.
// Lint and tests/catalog ask for it.
bool MustExpect(const Rule& rule);

}  // namespace ncclwhy
