#include "base/time_budget.h"

#include <chrono>
#include <ctime>

#include "base/limits.h"

namespace ncclwhy {

int64_t WallMilliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

int64_t ThreadMilliseconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0) return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
#endif
  return WallMilliseconds();
}

// Either is enough: a loop uses up the processor's time, a wait (a locked file, a frozen disk) only the wall's.
bool TimeBudget::Spent() const {
  return thread_() - thread_start_ > milliseconds_ ||
         wall_() - wall_start_ > milliseconds_ * int64_t{limits::kWallFactor};
}

}  // namespace ncclwhy
