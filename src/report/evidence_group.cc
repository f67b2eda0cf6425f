#include "report/evidence_group.h"

#include <algorithm>
#include <string_view>

namespace ncclwhy {
namespace {

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(' '); at != std::string_view::npos; at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// "peer 10.0.0.7<51264> … hca mlx5_0" and "peer 10.0.0.7<50684> … hca mlx5_0": names and numbers differ, words do not.
bool Alike(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> one = WordsOf(a), other = WordsOf(b);
  if (one.size() != other.size()) return false;
  size_t same = 0;
  for (size_t i = 0; i < one.size(); ++i) same += one[i] == other[i] ? 1 : 0;
  // Two thirds of the words: of two lines of a rule fewer would be two messages.
  return same * 3 >= one.size() * 2;
}

bool SameStory(const Evidence& a, const Evidence& b) {
  // Without a rule or a place there is nothing that says that two lines are of one kind.
  return !a.rule.empty() && a.rule == b.rule && a.role == b.role && a.note == b.note && a.line > 0 && b.line > 0 &&
         Alike(a.text, b.text);
}

}  // namespace

// Groups keep the order of their first lines; each is a list of indices.
std::vector<EvidenceGroup> GroupEvidence(const std::vector<Evidence>& evidence) {
  std::vector<EvidenceGroup> groups;
  for (size_t i = 0; i < evidence.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const EvidenceGroup& g) {
      return SameStory(evidence[g.front()], evidence[i]);
    });
    group == groups.end() ? groups.push_back({i}) : group->push_back(i);
  }
  return groups;
}

}  // namespace ncclwhy
