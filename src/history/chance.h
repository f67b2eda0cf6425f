// How likely it is that chance alone blames somebody so often.
//
// What is assumed: each failure's blame falls on any one of its job's hosts, and hosts take part in jobs whether they
// fail or not. A host that takes part in a share s of all jobs is then blamed in a failure with the probability s / m,
// m being the hosts of that job. Over failures with different m the sum of such events has no larger tail than the
// binomial distribution of the mean probability, once it is a whole event above its mean (Hoeffding 1956, "On the
// distribution of the number of successes in independent trials", theorem 4): the figure errs towards chance.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>

namespace ncclwhy {

// P(at least `hits` of `trials`), each with probability `p`.
double BinomialTail(int64_t trials, double p, int64_t hits);

// P(at least `hits` marked ones among `drawn` of `all`, of which `marked` are marked), without putting back.
double HypergeometricTail(int64_t all, int64_t marked, int64_t drawn, int64_t hits);

// The chance that `blamed` of `failures` are this one's, by the reasoning above; 1 where that says nothing.
double ChanceOfBlame(int64_t failures, double mean_probability, int64_t blamed);

// Of `tests` that were looked at, none should stand out by chance: Bonferroni.
double ForMany(double chance, int64_t tests);

}  // namespace ncclwhy
