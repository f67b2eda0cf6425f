// SteadyAnswer: which of the answers of a running job are told to a person. A log that grows says many things for a
// moment: an answer is told when it is sure enough and has lasted.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/live_answer.h"

namespace ncclwhy {

// Not thread-safe: one for each job that is followed.
class SteadyAnswer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Confidence from which on an answer is told.
  static constexpr double kSure = 0.7;
  // How long it has to last: what a line shows, and what follows from lines that are missing or from the loss of an
  // answer, which lines that come late would change.
  static constexpr std::chrono::milliseconds kSeenLasts{1000};
  static constexpr std::chrono::milliseconds kMissingLasts{30000};

  struct News {
    enum class Kind { kFirst, kChanged, kWithdrawn } kind;
    Answer answer;  // for kWithdrawn the one that no longer holds
  };

  // The answer to everything that was read until `now`.
  void See(const Answer& answer, Time now);
  // What to tell at `now`, each piece once. `current`: nothing was read since the last answer, so that it holds still.
  std::optional<News> Tell(Time now, bool current);

 private:
  Answer latest_;
  Time since_{};  // latest_ holds (same key) since then
  Time until_{};  // … and was confirmed last
  std::optional<Answer> told_;
};

}  // namespace ncclwhy
