// CaseFile: all that is known about one job while its report is made. Refers to its parts, owns none.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "analyze/job_environment.h"
#include "kb/loader/kb.h"
#include "ncclwhy/language.h"

namespace ncclwhy {

struct CaseFile {
  const JobModel& model;
  const std::vector<EvidenceItem>& items;
  const KnowledgeBase& kb;
  Language language;
  const JobEnvironment& environment;

  bool chinese() const { return language == Language::kChinese; }
};

}  // namespace ncclwhy
