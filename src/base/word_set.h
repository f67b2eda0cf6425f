// WordSet: whether one of a few words stands in a text, in one pass over it. For words that are only known at run time;
// those that a pass cannot find, as they are too short, are looked for one by one.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/word_finder.h"

namespace ncclwhy {

class WordSet {
 public:
  explicit WordSet(std::vector<std::string> words) : words_(std::move(words)) {
    views_.assign(words_.begin(), words_.end());
    const auto is_short = [](std::string_view word) { return word.size() < WordFinder::kLeast; };
    const auto longs = std::stable_partition(views_.begin(), views_.end(), is_short);
    shorts_ = static_cast<size_t>(longs - views_.begin());
    if (views_.size() - shorts_ < kLeastAtOnce) shorts_ = views_.size();
    for (size_t i = shorts_; i < views_.size(); i += WordFinder::kMost) {
      finders_.emplace_back(std::span(views_).subspan(i, std::min(WordFinder::kMost, views_.size() - i)));
    }
  }
  WordSet(WordSet&&) noexcept = default;
  WordSet& operator=(WordSet&&) noexcept = default;

  const std::vector<std::string>& words() const { return words_; }
  bool AnyIn(std::string_view text) const {
    const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
    return std::any_of(finders_.begin(), finders_.end(), [&](const WordFinder& f) { return f.Find(text) != 0; }) ||
           std::any_of(views_.begin(), views_.begin() + static_cast<std::ptrdiff_t>(shorts_), has);
  }

 private:
  static constexpr size_t kLeastAtOnce = 4;

  std::vector<std::string> words_;
  std::vector<std::string_view> views_;  // the short ones first
  size_t shorts_ = 0;
  std::vector<WordFinder> finders_;  // of the others
};

}  // namespace ncclwhy
