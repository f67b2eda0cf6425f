// Limits of time, at the border and one beyond: with clocks that stand still until they are told to go on, and, when
// full, with the processor's.
#include <string>

#include "base/limits.h"
#include "base/re2_call.h"
#include "base/time_budget.h"
#include "catch.h"
#include "hostile/own_rules.h"
#include "hostile/run_limited.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy::hostile {
namespace {

int64_t thread_now = 0;
int64_t wall_now = 0;

TEST_CASE("time is the processor's, and waiting has an end, too", "[hostile]") {
  for (const int64_t limit : {limits::kQueryMilliseconds, limits::kQueryRulesMilliseconds}) {
    thread_now = 1'000'000;
    wall_now = -5;
    const TimeBudget budget(
        limit, [] { return thread_now; }, [] { return wall_now; });
    wall_now += limit * limits::kWallFactor;
    CHECK_FALSE(budget.Spent());
    ++wall_now;
    CHECK(budget.Spent());
    --wall_now;
    thread_now += limit;
    CHECK_FALSE(budget.Spent());
    ++thread_now;
    CHECK(budget.Spent());
  }
  const int64_t begin = ThreadMilliseconds();
  const TimeBudget real(50);
  while (ThreadMilliseconds() <= begin + 52) {
  }
  CHECK(real.Spent());
}

// Three rules; the first takes `milliseconds` of the processor, the others nothing.
std::pair<int, std::vector<std::string>> AskAfter(int64_t milliseconds) {
  const OwnRules rules(3, R"("query": "SELECT 1 AS rank")");
  int asked = 0;
  const QueryRunner query = [&](std::string_view) -> Result<std::vector<QueryRow>> {
    const int64_t begin = ThreadMilliseconds();
    while (asked == 0 && ThreadMilliseconds() < begin + milliseconds) {
    }
    ++asked;
    return std::vector<QueryRow>{};
  };
  std::vector<std::string> problems;
  const JobModel model;
  (void)rules.rules().Resolve(model, KnowledgeBase::Embedded(), {}, query, {}, &problems);
  return {asked, problems};
}

TEST_CASE("rules behind those that took all the time are left out and counted", "[hostile]") {
  CHECK(AskAfter(0).first == 3);
  if (!Full()) return;  // as many seconds as the limit says
  CHECK(AskAfter(limits::kQueryRulesMilliseconds - 100).second.empty());
  const auto [asked, problems] = AskAfter(limits::kQueryRulesMilliseconds + 1);
  CHECK(asked == 1);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("2 query rules were left out") == 0);
}

}  // namespace
}  // namespace ncclwhy::hostile
