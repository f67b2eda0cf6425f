// From evidence to probabilities: log-odds add up per cause; one hypothesis is always "something that left no line".
#pragma once

#include <string>
#include <vector>

#include "analyze/case_file.h"

namespace ncclwhy {

struct Hypothesis {
  std::string cause;
  double score = 0;              // log-odds
  double probability = 0;        // among all hypotheses and the unknown one; decides whether a cause is named
  double confidence = 0;         // what a report says: the probability as labelled logs have borne it out
  std::vector<size_t> evidence;  // indices of items that speak for it, strongest first
  std::vector<size_t> against;   // items with a negative weight
};

struct Ranking {
  bool failed = false;                 // something failed at all
  bool echoes = false;                 // somebody else's failure is reported; healthy jobs do so too, when they end
  std::vector<Hypothesis> hypotheses;  // best first
};

// What is weighed: what failed, or what only slows a job in which nothing failed (`degrades` of a rule).
enum class Weighs { kFailures, kDegradation };

// Below this probability no cause is named.
inline constexpr double kNameThreshold = 0.30;

// "unhandled system error", "invalid usage": a symptom that may come from anywhere, its causes are of several families.
// Beside a rule that knows the root it says nothing.
bool IsBareClass(const Finding& f);

Ranking RankCauses(const CaseFile& c, Weighs weighs = Weighs::kFailures);

}  // namespace ncclwhy
