#include "read/source_digest.h"

#include <algorithm>
#include <set>

namespace ncclwhy {

void OrderByName(std::vector<SourceDigest>* digests) {
  std::stable_sort(digests->begin(), digests->end(),
                   [](const SourceDigest& a, const SourceDigest& b) { return a.facts.name < b.facts.name; });
  std::set<std::string> used;
  for (SourceDigest& digest : *digests) {
    const std::string name = digest.facts.name;
    for (int n = 2; !used.insert(digest.facts.name).second; ++n) {
      digest.facts.name = name + " (" + std::to_string(n) + ")";
    }
  }
}

}  // namespace ncclwhy
