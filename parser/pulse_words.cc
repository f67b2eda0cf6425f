#include "parser/pulse_words.h"

#include <algorithm>
#include <iterator>

namespace ncclwhy {
namespace {

#define NO_WORK(text)
#define NAMES(word)
#define COUNTS(word, one, many, zh) {word, one, many, zh},
constexpr WorkUnit kUnits[] = {
#include "parser/pulse_words.def"
};
#undef NO_WORK
#undef NAMES
#undef COUNTS

bool Same(std::string_view word, std::string_view lower) {
  const auto equal = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b); };
  return word.size() == lower.size() && std::equal(lower.begin(), lower.end(), word.begin(), equal);
}

}  // namespace

// A few dozen words: asked once for a layout, not for each line.
const WorkUnit* WorkUnitOf(std::string_view word) {
  const auto* it =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const WorkUnit& u) { return Same(word, u.word); });
  return it == std::end(kUnits) ? nullptr : it;
}

const WorkUnit* WorkUnitOfTotal(std::string_view word) {
  // `max_steps`, `total_epochs`, `num_train_steps` of the Transformers' Trainer.
  for (const std::string_view kind : {"max_", "total_", "num_", "train_", "num_train_"}) {
    if (word.size() > kind.size() && Same(word.substr(0, kind.size()), kind)) {
      if (const WorkUnit* unit = WorkUnitOf(word.substr(kind.size()))) return unit;
    }
  }
  return nullptr;
}

uint8_t NumberOf(const WorkUnit* unit) {
  static_assert(std::size(kUnits) < UINT8_MAX);
  return unit == nullptr ? uint8_t{0} : static_cast<uint8_t>(unit - kUnits + 1);
}
const WorkUnit* WorkUnitNumbered(uint8_t number) { return number == 0 ? nullptr : &kUnits[number - 1]; }

}  // namespace ncclwhy
