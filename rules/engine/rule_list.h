// RuleList: the rules of a set by their number, each read when it is first asked for: of a thousand rules of the
// program a log asks a few, and to read them all would be half of a short run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rules/engine/rule.h"

namespace ncclwhy {

// Immutable but for the rules that were not read yet: any number of threads may ask for the same one.
// References are good as long as the list.
class RuleList {
 public:
  explicit RuleList(std::vector<Rule> rules);
  // Of the program: rule i is what FieldWriter (rule_fields.h) made of it, `bytes` from `begins[i]` to `begins[i + 1]`.
  // Both are constants: borrowed, and not damaged.
  RuleList(std::string_view bytes, std::span<const uint32_t> begins);
  ~RuleList();
  RuleList(const RuleList&) = delete;
  RuleList& operator=(const RuleList&) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Rule& operator[](size_t number) const;

  // Reads each rule it comes to.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Rule;
    using difference_type = std::ptrdiff_t;
    using pointer = const Rule*;
    using reference = const Rule&;
    Iterator(const RuleList& list, size_t number) : list_(&list), number_(number) {}
    const Rule& operator*() const { return (*list_)[number_]; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const RuleList* list_;
    size_t number_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

  // Of a list that is sorted by id, as those of a RuleSet are: the number of the first rule whose id is not less.
  size_t LowerBound(std::string_view id) const;
  bool Has(std::string_view id) const;

 private:
  size_t size_ = 0;
  std::string_view bytes_;
  std::span<const uint32_t> begins_;
  std::unique_ptr<std::atomic<const Rule*>[]> rules_;  // null: not read yet
};

}  // namespace ncclwhy
