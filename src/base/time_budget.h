// TimeBudget: how long a piece of work may take, in processor time of the calling thread: on a machine that is starved
// the answer is the same as on an idle one. The wall may go on for limits::kWallFactor times as long, so that work that
// only waits ends, too.
#pragma once

#include <cstdint>

namespace ncclwhy {

// Milliseconds from some beginning, never falling: a clock that somebody sets does not matter. Where a system has no
// clock for threads, both are the wall's.
int64_t ThreadMilliseconds();
int64_t WallMilliseconds();

class TimeBudget {
 public:
  using Clock = int64_t (*)();

  // Begins now. Another thread must not ask: it has a clock of its own. The clocks can be replaced by tests.
  //    const TimeBudget time(limits::kQueryMilliseconds); while (!time.Spent()) …
  explicit TimeBudget(int64_t milliseconds, Clock thread = ThreadMilliseconds, Clock wall = WallMilliseconds)
      : milliseconds_(milliseconds), thread_(thread), wall_(wall), thread_start_(thread()), wall_start_(wall()) {}

  // Asks two clocks, one of them through the kernel: not for what is done a million times.
  // Once true it stays true: both clocks only rise.
  bool Spent() const;

 private:
  int64_t milliseconds_;
  Clock thread_;
  Clock wall_;
  // Of the thread that made it.
  int64_t thread_start_;
  int64_t wall_start_;
};

}  // namespace ncclwhy
