// WordSet: whether one of a few words stands in a text, in one pass over it. For words that are only known at run time;
// those that a pass cannot find, as they are too short, are looked for one by one.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/find_text.h"
#include "base/word_finder.h"

namespace ncclwhy {

// Immutable after construction; any number of threads may ask. Moving keeps the views: they look into strings whose
// places in the vector do not change. A copy would look into the old one's, so there is none.
class WordSet {
 public:
  // Short words go in front; all others into finders of kBits words each, unless they are so few that a search for each
  // is as fast.
  explicit WordSet(std::vector<std::string> words) : words_(std::move(words)) {
    views_.assign(words_.begin(), words_.end());
    const auto is_short = [](std::string_view word) { return word.size() < WordFinder::kLeast; };
    const auto longs = std::stable_partition(views_.begin(), views_.end(), is_short);
    shorts_ = static_cast<size_t>(longs - views_.begin());
    if (views_.size() - shorts_ < kLeastAtOnce) shorts_ = views_.size();
    for (size_t i = shorts_; i < views_.size(); i += WordFinder::kBits) {
      finders_.emplace_back(std::span(views_).subspan(i, std::min(WordFinder::kBits, views_.size() - i)));
    }
  }
  // A moved vector keeps its strings where they are, also those that are short enough to lie in the string itself.
  WordSet(WordSet&&) noexcept = default;
  WordSet& operator=(WordSet&&) noexcept = default;

  // In the order in which they were given.
  const std::vector<std::string>& words() const { return words_; }
  // Also within a longer word. False for a set without words; an empty word is in every text.
  bool AnyIn(std::string_view text) const {
    const auto has = [&](std::string_view word) { return HoldsText(text, word); };
    return std::any_of(finders_.begin(), finders_.end(), [&](const WordFinder& f) { return f.Find(text) != 0; }) ||
           std::any_of(views_.begin(), views_.begin() + static_cast<std::ptrdiff_t>(shorts_), has);
  }

 private:
  // Below so many words, a search for each is as fast as the pass.
  static constexpr size_t kLeastAtOnce = 4;

  std::vector<std::string> words_;
  std::vector<std::string_view> views_;  // the short ones first
  // How many of views_ are searched for one by one.
  size_t shorts_ = 0;
  std::vector<WordFinder> finders_;  // of the others
};

}  // namespace ncclwhy
