// PairIndex: which of hundreds of words may stand in a text, when the text is looked at once. A word is filed under the
// pair of neighbouring bytes in it that the fewest words have, and is told where the text has that pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ncclwhy {

// What is visited only may be there: two pairs can share a place. Immutable; keeps numbers, not the words, which may
// go. The cost of a text is its length and the words visited.
//    words "status=12", "rank 3"; text "with status=12 opcode=0"     visits the first one, at 5
// For words that rules give, of which most texts have none; GramIndex is for thousands of words and every line.
class PairIndex {
 public:
  // Both passes over the words take time in proportion to their bytes. The views are read here and not kept.
  // A counting sort by place: words_ has those of one place side by side.
  explicit PairIndex(const std::vector<std::string_view>& words) : begins_(kPlaces + 2) {
    std::vector<uint32_t> often(kPlaces + 1);
    for (const std::string_view word : words) ForEachPair(word, [&](size_t place, size_t) { ++often[place]; });
    std::vector<std::pair<size_t, size_t>> chosen;  // place, and where it is in the word
    for (const std::string_view word : words) {
      std::pair<size_t, size_t> best = {kPlaces, 0};  // a word without a pair may be anywhere
      ForEachPair(word, [&](size_t place, size_t at) {
        // The rarest pair: "12" rather than "st", if most words have an "st".
        if (best.first == kPlaces || often[place] < often[best.first]) best = {place, at};
      });
      chosen.push_back(best);
      ++begins_[best.first + 1];
    }
    for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    words_.resize(words.size());
    std::vector<uint32_t> next = begins_;
    for (uint32_t i = 0; i < words.size(); ++i) {
      words_[next[chosen[i].first]++] = {i, static_cast<uint32_t>(chosen[i].second)};
    }
  }

  // Calls visit(number of a word, where it would begin) for each place of the text where one may stand; once, with 0,
  // for a word of fewer than two bytes, which may be anywhere.
  // In no order that means anything. Thread-safe.
  template <typename Visit>
  void ForEach(std::string_view text, Visit visit) const {
    const auto tell = [&](size_t place, size_t at) {
      for (uint32_t i = begins_[place]; i < begins_[place + 1]; ++i) {
        if (at >= words_[i].offset) visit(words_[i].number, at - words_[i].offset);
      }
    };
    ForEachPair(text, tell);
    tell(kPlaces, 0);
  }

 private:
  struct Word {
    uint32_t number = 0;
    uint32_t offset = 0;  // of its pair
  };
  // Places that pairs are hashed to. Of the 65,536 pairs a text has some hundred; that two share a place costs a visit
  // now and then.
  static constexpr size_t kPlaces = 4096;
  // Nothing for a text of one byte.
  template <typename Visit>
  static void ForEachPair(std::string_view text, const Visit& visit) {
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      // 67 and 4096 have no common factor: pairs of letters spread over all places.
      visit((static_cast<uint8_t>(text[i]) * size_t{67} + static_cast<uint8_t>(text[i + 1])) % kPlaces, i);
    }
  }

  std::vector<uint32_t> begins_;  // by place of a pair, and one more place: into words_
  std::vector<Word> words_;
};

}  // namespace ncclwhy
