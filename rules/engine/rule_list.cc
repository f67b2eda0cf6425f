#include "rules/engine/rule_list.h"

#include <utility>

#include "base/made_once.h"
#include "rules/engine/rule_fields.h"

namespace ncclwhy {

// A member that is not in rule_fields.h would be lost. Sizes of the common machines; elsewhere these are not asked.
constexpr bool kCommon = sizeof(void*) == 8 && sizeof(KeptText) == 24;
static_assert(!kCommon ||
              (sizeof(Sign) == 5 && sizeof(Rule) == 752 && sizeof(Condition) == 160 && sizeof(LinePattern) == 120));

RuleList::RuleList(std::vector<Rule> rules)
    : size_(rules.size()), rules_(std::make_unique<std::atomic<const Rule*>[]>(rules.size())) {
  for (size_t i = 0; i < size_; ++i) rules_[i] = std::make_unique<const Rule>(std::move(rules[i])).release();
}

RuleList::RuleList(std::string_view bytes, std::span<const uint32_t> begins)
    : size_(begins.size() - 1),
      bytes_(bytes),
      begins_(begins),
      rules_(std::make_unique<std::atomic<const Rule*>[]>(size_)) {}

RuleList::~RuleList() {
  for (size_t i = 0; i < size_; ++i) delete rules_[i].load();
}

const Rule& RuleList::operator[](size_t number) const {
  return MadeOnce(rules_[number], [&] {
    auto rule = std::make_unique<Rule>();
    // Bytes of the same build: nothing in them can be damaged, so nothing is asked.
    FieldReader reader(bytes_.substr(begins_[number], begins_[number + 1] - begins_[number]));
    reader(*rule);
    return rule;
  });
}

size_t RuleList::LowerBound(std::string_view id) const {
  size_t begin = 0, end = size_;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if ((*this)[middle].id < id) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

bool RuleList::Has(std::string_view id) const {
  const size_t at = LowerBound(id);
  return at < size_ && (*this)[at].id == id;
}

}  // namespace ncclwhy
