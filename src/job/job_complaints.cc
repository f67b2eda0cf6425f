#include "job/job_complaints.h"

#include <algorithm>
#include <unordered_set>

#include "base/limits.h"
#include "parser/complaints.h"

namespace ncclwhy {

// Complaints of a program and NCCL's warnings in one order: in a source they come in line order.
std::vector<Complaint> ComplaintsOf(const JobModel& model) {
  std::vector<Complaint> out;
  std::unordered_set<uint64_t> said;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    const SourceId source{s};
    std::vector<Complaint> here;
    const auto add = [&](uint32_t line, ProcessId process, std::string_view text) {
      // Over all sources: every rank prints the same warning, and it is told once.
      if (!text.empty() && said.insert(SentenceOf(text)).second) here.push_back({source, line, process, text});
    };
    for (const ComplaintFacts& c : facts.complaints) {
      add(c.line, model.ProcessOf(source, c.process, -1), facts.Str(c.text));
    }
    for (const Event& event : facts.events) {
      if (event.level != LogLevel::kWarn || said.size() >= limits::kComplaintsRead) continue;
      add(event.line, model.ProcessOf(source, event.process, event.launcher_rank), facts.Str(event.text));
    }
    std::stable_sort(here.begin(), here.end(), [](const Complaint& a, const Complaint& b) { return a.line < b.line; });
    out.insert(out.end(), here.begin(), here.end());
    if (out.size() >= limits::kComplaintsRead) {
      out.resize(limits::kComplaintsRead);
      break;
    }
  }
  return out;
}

}  // namespace ncclwhy
