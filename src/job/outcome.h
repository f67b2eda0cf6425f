// What became of the job, from the pulses of its work, its signs of life and NCCL's own: succeeded, failed, hung,
// stopped from outside, or not to be told. Decided before any cause is looked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/aftermath.h"
#include "job/job_model.h"
#include "job/life_sign.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Why a line shows the outcome.
enum class Shows : uint8_t {
  kEnding,       // a process or the job ended badly
  kStop,         // it was ended from outside
  kWaiting,      // it waits and nothing follows
  kFinished,     // it says that it came to its end
  kLastBeat,     // the latest sign of work
  kLeftInOrder,  // NCCL was shut down in order everywhere
  kSilence,      // others repeat themselves, long after the last sign of work
  kBusy,         // its GPUs are at full load, and nothing comes of it
};

struct OutcomeLine {
  Shows shows = Shows::kEnding;
  Place place;
  std::string note;  // of the sign, if it is one
};

// Refers to model and signs by place and index; `pulse` points into the facts.
struct OutcomeReading {
  Outcome outcome = Outcome::kUnknown;
  bool work_done = false;             // it had come to its end before it ended badly
  bool worked = false;                // there is a pulse
  bool wound_up = false;              // the work stopped and the program went on to say what it had not said before
  const PulseFacts* pulse = nullptr;  // the one that tells best how far it came, or null
  SourceId pulse_source;
  std::vector<OutcomeLine> evidence;  // most telling first, at most a few
  std::vector<size_t> bad;            // signs that are endings which nothing overcame, in order
  std::vector<Place> restarts;        // lines that begin another attempt, of the first source that has such
};

// `signs` in the order of sources and lines. What counts is not that a bad line stands there, but that nothing behind
// it shows that it was got over (aftermath.h). kUnknown where the lines end before the job did, as far as they tell.
OutcomeReading ReadOutcome(const JobModel& model, const std::vector<LifeSign>& signs);

}  // namespace ncclwhy
