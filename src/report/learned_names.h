// LearnedNames: names and what stands for them, found in a text in one pass however many there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ncclwhy {

// "node3" → "host-1". Names of one head ("no") are tried from the longest, so that node31 is not node3 and a digit.
// Grows without bound: who adds names bounds them. Not thread-safe while names are added.
class LearnedNames {
 public:
  struct Found {
    std::string_view name;  // empty: there is none
    std::string_view alias;
  };

  // The place for the alias of `name`; an empty one when it is new.
  std::string& AliasOf(std::string_view name) {
    auto it = aliases_.find(name);
    if (it != aliases_.end()) return it->second;
    std::vector<size_t>& lengths = lengths_[std::string(name.substr(0, kHead))];
    const auto place = std::lower_bound(lengths.begin(), lengths.end(), name.size(), std::greater<>());
    if (place == lengths.end() || *place != name.size()) lengths.insert(place, name.size());
    return aliases_.emplace(name, "").first->second;
  }

  // Of those that `text` goes on with at `at` the longest that `takes` takes.
  template <typename Takes>
  Found At(std::string_view text, size_t at, Takes takes) const {
    const std::string_view rest = text.substr(at);
    for (size_t head = std::min(kHead, rest.size()); head > 0; --head) {
      const auto lengths = lengths_.find(rest.substr(0, head));
      if (lengths == lengths_.end()) continue;
      for (const size_t length : lengths->second) {
        const auto it = aliases_.find(rest.substr(0, length));
        if (it != aliases_.end() && takes(std::string_view(it->first))) return {it->first, it->second};
      }
    }
    return {};
  }

 private:
  // Two bytes tell most names apart from other text, and nearly all names have them.
  static constexpr size_t kHead = 2;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> aliases_;
  // Of the names that begin with these bytes (of a name of one, that one), longest first.
  std::unordered_map<std::string, std::vector<size_t>, Hash, std::equal_to<>> lengths_;
};

}  // namespace ncclwhy
