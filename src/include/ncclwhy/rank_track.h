// What pictures of a report are made of: what each rank did while the story of the job went on, and from when to when.
// Formats for machines do not have it; the lines that it is made of are theirs as well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ncclwhy {

// A stretch of a rank's track, or a moment of it (where `from` and `to` are the same).
struct TrackPart {
  std::string kind;  // log | work | wait; moments: alarm | ending
  double from = 0;   // on the axis
  double to = 0;
  std::string what;  // one clause: "step 15/30"
  // Of a moment. Empty and 0 when there is no line.
  std::string file = {};
  uint64_t line = 0;
};

// What one rank did while the story went on. Of every rank that the logs know of, with or without a communicator.
struct RankTrack {
  int32_t rank = -1;  // -1: work of the job of which no line tells whose it is; the first track then
  std::string host;
  bool culprit = false;
  bool seen = true;              // false: nothing in the logs is its own
  std::vector<TrackPart> parts;  // stretches first
};

// What tracks are measured in: seconds since the first step of the timeline that has a clock; collectives that a rank
// had issued; the steps themselves, where there is neither a clock nor a call.
enum class TrackAxis : uint8_t { kSteps, kSeconds, kCalls };

// From the first stamp that is known of a job to the last one, as the log prints them.
struct JobSpan {
  std::string from, to;
  double seconds = 0;
};

}  // namespace ncclwhy
