#include "analyze/answer_names.h"

#include <array>
#include <cstddef>

namespace ncclwhy {
namespace {

// In the order of their enumerators.
constexpr std::array<std::string_view, 5> kVerdicts = {"failure", "healthy", "undetermined", "no-nccl", "degraded"};
constexpr std::array<std::string_view, 5> kOutcomes = {"succeeded", "failed", "hung", "stopped", "unknown"};
constexpr std::array<std::string_view, 4> kActions = {"undecided", "rerun", "rerun-without", "fix-first"};
static_assert(kVerdicts.size() == static_cast<size_t>(Verdict::kDegraded) + 1);
static_assert(kOutcomes.size() == static_cast<size_t>(Outcome::kUnknown) + 1);
static_assert(kActions.size() == static_cast<size_t>(Action::kFixFirst) + 1);

}  // namespace

std::string_view VerdictName(Verdict verdict) { return kVerdicts[static_cast<size_t>(verdict)]; }
std::string_view OutcomeName(Outcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }
std::string_view ActionName(Action action) { return kActions[static_cast<size_t>(action)]; }

}  // namespace ncclwhy
