// Settings that the knowledge of variables (kb/env.json) objects to: names that nobody reads, values that are not
// taken. Facts for the view `doubtful_setting`; what is said about them stands in rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "read/digest.h"

namespace ncclwhy {

struct DoubtfulSetting {
  std::string variable, value;
  // never-read, unknown (and `nearest` is what was meant), too-new, too-old, not-a-number, not-accepted or degrading
  std::string_view problem;
  std::string nearest;
  std::string first, last, replaced_by;  // versions of NCCL that read it, and the name that newer ones read
  std::string values_en, values_zh;      // what is accepted
  std::string text_en, text_zh;          // what the knowledge says of this name or value
  ProcessId process;                     // invalid for what a command line or a manifest mentions
  Place place;
};

// Each variable and value once: first as processes echo them, then as other lines mention them.
std::vector<DoubtfulSetting> FindDoubtfulSettings(const JobModel& model, const std::vector<SourceDigest>& digests,
                                                  const KnowledgeBase& kb);

}  // namespace ncclwhy
