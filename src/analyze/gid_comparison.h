// The GIDs that the hosts of a RoCE job use, compared as an expert would: empty, link-local, version 1 against 2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "ncclwhy/language.h"

namespace ncclwhy {

enum class GidKind : uint8_t { kUnknown, kEmpty, kLinkLocal, kAddress };

struct Gid {
  GidKind kind = GidKind::kUnknown;
  std::string text;  // 192.168.100.10, fe80::…; empty for an empty one
};

// As NCCL prints them: "0/A64A8C0FFFF0000" (both halves as the machine reads them), "::ffff:192.168.100.10", "::".
Gid ReadGid(std::string_view words);

// Which GID a host uses, with a line that says so.
struct GidUse {
  std::string_view host;
  int index = -1;
  Gid gid;
  Place place;
};
// The first of each host, index and kind, in the order of the logs.
std::vector<GidUse> GidsOfHosts(const JobModel& model);

struct GidDifference {
  std::string clause;  // "dgx38 uses index 3 (192.168.100.10), dgx39 index 0, which is empty"
  GidUse other;        // the one that has it right, as far as it can be told
};
// What `host` uses against the others; nothing when all use the same, or only one host tells.
std::optional<GidDifference> CompareGids(const JobModel& model, std::string_view host, Language language);

}  // namespace ncclwhy
