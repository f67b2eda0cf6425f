#include "history/chance.h"

#include <algorithm>
#include <cmath>

namespace ncclwhy {
namespace {

// lgamma writes a global; lgamma_r does not.
// Tails of hundreds of jobs: logarithms, since factorials leave the range of a double at 171.
double LogFactorial(int64_t n) {
  int sign = 0;
  return ::lgamma_r(static_cast<double>(n) + 1, &sign);
}

double LogChoose(int64_t n, int64_t k) { return LogFactorial(n) - LogFactorial(k) - LogFactorial(n - k); }

// Sums terms from `first` to `last`; terms grow up to a mode and then fall, so that small ones behind larger ones end
// it.
template <typename LogTerm>
double Sum(int64_t first, int64_t last, const LogTerm& log_term) {
  double sum = 0;
  double before = 0;
  for (int64_t i = first; i <= last; ++i) {
    // Terms that underflow to 0 in front of the mode do not end the sum: nothing is smaller than a sum of 0.
    const double term = std::exp(log_term(i));
    sum += term;
    if (term <= before && term < sum * 1e-16) break;
    before = term;
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace

double BinomialTail(int64_t trials, double p, int64_t hits) {
  // The borders first: the logarithms below are not defined there.
  if (hits <= 0) return 1;
  if (hits > trials || !(p > 0)) return 0;
  if (p >= 1) return 1;
  return Sum(hits, trials, [&](int64_t i) {
    return LogChoose(trials, i) + static_cast<double>(i) * std::log(p) +
           static_cast<double>(trials - i) * std::log1p(-p);
  });
}

double HypergeometricTail(int64_t all, int64_t marked, int64_t drawn, int64_t hits) {
  const int64_t least = std::max<int64_t>(0, drawn - (all - marked));
  const int64_t most = std::min(marked, drawn);
  if (hits <= least) return 1;
  if (hits > most) return 0;
  return Sum(hits, most, [&](int64_t i) {
    return LogChoose(marked, i) + LogChoose(all - marked, drawn - i) - LogChoose(all, drawn);
  });
}

double ChanceOfBlame(int64_t failures, double mean_probability, int64_t blamed) {
  const double expected = static_cast<double>(failures) * mean_probability;
  // Below its mean and one event more the bound is not proven, and nobody is a suspect there.
  if (static_cast<double>(blamed) < expected + 1) return 1;
  return BinomialTail(failures, mean_probability, blamed);
}

// The number of tests times the chance: what stands out among a thousand hosts must be a thousand times rarer.
double ForMany(double chance, int64_t tests) {
  return std::min(1.0, chance * static_cast<double>(std::max<int64_t>(tests, 1)));
}

}  // namespace ncclwhy
