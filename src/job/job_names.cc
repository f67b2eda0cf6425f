#include "job/job_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "job/source_names.h"

namespace ncclwhy {

void NameJobs(const JobModel& model, std::vector<JobPart>* parts) {
  const FolderView folders = FoldersOf(model);
  std::map<uint32_t, size_t> users;                // source -> jobs
  std::map<std::string, std::set<size_t>> owners;  // folder -> jobs
  for (size_t n = 0; n < parts->size(); ++n) {
    for (const Span& span : (*parts)[n].spans) ++users[span.source.value];
  }
  for (size_t n = 0; n < parts->size(); ++n) {
    for (const Span& span : (*parts)[n].spans) {
      if (users[span.source.value] == 1) owners[folders.of[span.source.value]].insert(n);
    }
  }
  std::map<std::string, int> taken;
  for (size_t n = 0; n < parts->size(); ++n) {
    JobPart& part = (*parts)[n];
    // A part of a file has lines of its own; a whole file that two jobs share has not.
    const auto own = [&](const Span& span) { return !span.whole() || users[span.source.value] == 1; };
    const auto it = std::find_if(part.spans.begin(), part.spans.end(), own);
    const Span& span = it == part.spans.end() ? part.spans.front() : *it;
    const std::string& folder = folders.of[span.source.value];
    const std::string& name = model.sources[span.source.value]->name;
    // A folder with `#123` is the id in names of files there.
    const auto end = folder.find_last_of('#') == std::string::npos ? folder.size() - !folder.empty() : folder.size();
    if (span.whole() && owners[folder].size() == 1 && owners.size() > 1 && !folder.empty()) {
      part.name = BaseName(std::string_view(folder).substr(0, end));
      if (const size_t id = part.name.find('#'); id != std::string::npos) part.name.erase(0, id + 1);
    } else if (span.whole()) {
      part.name = BaseName(name);
    } else {
      const uint64_t lines = model.sources[span.source.value]->counters.Get(Counter::kLines);
      part.name = std::string(BaseName(name)) + ":" + std::to_string(span.first) + "-" +
                  std::to_string(std::min<uint64_t>(span.last, lines));
    }
    if (const int before = taken[part.name]++; before > 0) part.name += " (" + std::to_string(before + 1) + ")";
  }
}

}  // namespace ncclwhy
