#include "history/chance.h"

#include <cmath>

#include "catch.h"

namespace ncclwhy {
namespace {

// The figures here have six digits or fewer.
bool IsAbout(double value, double expected) { return std::abs(value - expected) <= 1e-4 * expected; }

TEST_CASE("Tails are those of tables") {
  CHECK(IsAbout(BinomialTail(10, 0.5, 8), 56.0 / 1024));
  CHECK(IsAbout(BinomialTail(9, 0.03, 5), 2.767225e-6));
  CHECK(IsAbout(BinomialTail(1'000'000, 1e-6, 5), 0.00365985));
  CHECK(IsAbout(HypergeometricTail(53, 3, 3, 3), 1 / 23426.0));
  CHECK(IsAbout(HypergeometricTail(10, 5, 4, 2), 155.0 / 210));
}

TEST_CASE("Tails end where nothing is left to say") {
  CHECK(BinomialTail(5, 0.2, 0) == 1);
  CHECK(BinomialTail(5, 0.2, 6) == 0);
  CHECK(BinomialTail(5, 0, 1) == 0);
  CHECK(BinomialTail(5, 1, 5) == 1);
  CHECK(HypergeometricTail(10, 10, 4, 4) == 1);
  CHECK(HypergeometricTail(10, 2, 4, 3) == 0);
}

TEST_CASE("Blame about as often as expected says nothing") {
  CHECK(ChanceOfBlame(9, 0.5, 5) == 1);
  CHECK(ChanceOfBlame(1, 0.01, 1) == 1);
  CHECK(ChanceOfBlame(9, 0.03, 5) < 1e-5);
  CHECK(IsAbout(ForMany(1e-3, 50), 0.05));
  CHECK(ForMany(0.5, 50) == 1);
  CHECK(IsAbout(ForMany(0.5, 0), 0.5));
}

}  // namespace
}  // namespace ncclwhy
