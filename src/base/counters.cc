#include "base/counters.h"

namespace ncclwhy {
namespace {
constexpr bool info = false;
constexpr bool loss = true;
constexpr CounterInfo kInfos[] = {
#define X(id, name, severity, sentence) {name, severity, sentence},
#include "base/counters.def"
#undef X
};
}  // namespace

const CounterInfo& InfoOf(Counter counter) { return kInfos[static_cast<size_t>(counter)]; }

}  // namespace ncclwhy
