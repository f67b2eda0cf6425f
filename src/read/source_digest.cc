#include "read/source_digest.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "read/source_coding.h"

namespace ncclwhy {
namespace {

using Iterator = std::vector<SourceDigest>::iterator;

struct Said {
  uint64_t hash = 0;
  SourceDigest digest;
};

// One name: in the order of what they say. One source in two carriers is there once, but as often as one of them has
// it: an archive may hold two members that are equal.
void SortNamesakes(Iterator begin, Iterator end, std::vector<SourceDigest>* out) {
  std::vector<Said> said;
  for (auto it = begin; it != end; ++it) {
    const uint64_t hash = HashBytes(EncodeSource(*it), 0);
    said.push_back({hash, std::move(*it)});
  }
  std::stable_sort(said.begin(), said.end(), [](const Said& a, const Said& b) {
    return std::tie(a.hash, a.digest.carrier) < std::tie(b.hash, b.digest.carrier);
  });
  for (size_t i = 0; i < said.size();) {
    std::map<std::string_view, size_t> carried;
    size_t most = 0, same = i;
    for (; same < said.size() && said[same].hash == said[i].hash; ++same) {
      most = std::max(most, ++carried[said[same].digest.carrier]);
    }
    for (size_t n = 0; n < most; ++n) out->push_back(std::move(said[i + n].digest));
    i = same;
  }
}

}  // namespace

// By name, then by what they say: two archives with a rank0.log each come in the same order on every machine.
void SortSources(std::vector<SourceDigest>* digests) {
  std::stable_sort(digests->begin(), digests->end(),
                   [](const SourceDigest& a, const SourceDigest& b) { return a.facts.name < b.facts.name; });
  std::vector<SourceDigest> sorted;
  sorted.reserve(digests->size());
  for (auto it = digests->begin(); it != digests->end();) {
    const auto end =
        std::find_if(it, digests->end(), [&](const SourceDigest& other) { return other.facts.name != it->facts.name; });
    if (end - it == 1) {
      sorted.push_back(std::move(*it));
    } else {
      SortNamesakes(it, end, &sorted);
    }
    it = end;
  }
  *digests = std::move(sorted);
}

void OrderByName(std::vector<SourceDigest>* digests) {
  SortSources(digests);
  std::set<std::string> used;
  for (SourceDigest& digest : *digests) {
    const std::string name = digest.facts.name;
    for (int n = 2; !used.insert(digest.facts.name).second; ++n) {
      digest.facts.name = name + " (" + std::to_string(n) + ")";
    }
  }
}

}  // namespace ncclwhy
