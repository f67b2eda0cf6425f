#include "job/host_names.h"

#include <set>

#include "base/text.h"

namespace ncclwhy {

std::map<std::string_view, std::string_view> ShortNamesOfHosts(const std::vector<const SourceFacts*>& sources) {
  std::map<std::string_view, std::set<std::string_view>> whole_names;  // by the part before the first dot
  std::set<std::string_view> told;                                     // short names, as the logs have them
  for (const SourceFacts* facts : sources) {
    for (const ProcessFacts& process : facts->processes) {
      const std::string_view name = facts->Str(process.host);
      // What begins with a digit is an address: 10.0.0.1 and 10.1.0.1 have the same first label.
      if (name.empty() || IsDigit(name[0]) || name.find(':') != name.npos) continue;
      const size_t dot = name.find('.');
      if (dot == name.npos) {
        told.insert(name);
      } else {
        whole_names[name.substr(0, dot)].insert(name);
      }
    }
  }
  std::map<std::string_view, std::string_view> names;
  for (const auto& [first_label, whole] : whole_names) {
    const auto short_name = told.find(first_label);
    if (short_name != told.end() && whole.size() == 1) names.emplace(*whole.begin(), *short_name);
  }
  return names;
}

}  // namespace ncclwhy
