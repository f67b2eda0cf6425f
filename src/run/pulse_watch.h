// PulseWatch: does what a running command prints still show work? Before a pulse was learned any output does; then only
// lines in which the work's numbers grow, and lines of a kind that was not there before (the work went on to something
// else). Lines that wait or complain never do. Sees samples of the output: pieces may be missing.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "parser/pulse_line.h"

namespace ncclwhy {

class PulseWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The command begins, or goes on after it was stopped.
  void Begin(Time now) { last_sign_ = now; }
  // What was printed since, or pieces of it.
  void See(std::string_view bytes, Time now);
  // The latest sign of work.
  Time last_sign() const { return last_sign_; }
  // A pulse is known, and other lines came after its last beat.
  bool only_chatter() const { return learned_ && chatter_; }

 private:
  static constexpr size_t kKinds = 512;
  static constexpr int kLearned = 3;  // beats that make a pulse

  struct Kind {
    PulseLine::Counters counters{};
    size_t count = 0;  // of counters
    double most[limits::kPulseNumbers] = {};
    int beats = 0;
  };
  // Lines of new kinds do until kKinds are known, then only those that are known.
  // Whether the line shows work.
  bool Beats(std::string_view line);

  PulseLayouts layouts_;
  std::unordered_map<uint32_t, Kind> kinds_;
  std::string rest_;  // a line whose end has not come
  Time last_sign_{};
  bool learned_ = false;
  bool chatter_ = false;
};

}  // namespace ncclwhy
