// LifeSign: what one line tells of the life of a process or of the job. Which lines are signs is data (`sign` of a
// rule, rules/README.md); the vocabulary stands here because the job is judged by it.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace ncclwhy {

// What a line tells of the life of a process, or of the job. A rule can be evidence for a cause and such a sign at
// once.
enum class Life : uint8_t {
  kNone,
  kProgress,  // work goes on
  kWaiting,   // it waits for others and says so: a watchdog, a list of ranks that are missing
  kLeaving,   // it has begun to leave: shutting down, destroying its groups
  kEnding,    // it is gone, see Ending
  kRestart,   // what follows is another attempt
  kLaunch,    // what follows is a run of its own: a launcher's first words, a script's echo of its command
  kSaved,     // a state was saved from which the job can go on
  kStumble,   // something failed that the program itself deals with: it tries again, starts a helper anew
  kEntering,  // it enters what ends only when all have come: a rendezvous, an initialisation
  kPreface,   // what its source says in front of it was written when all was over: a mail with the output behind
};

// How a process or a job ended.
enum class Ending : uint8_t {
  kNone,
  kClean,      // it came to its end
  kExit,       // exit code `exit_code`; 0 is kClean
  kSignal,     // died of `signal`
  kAbort,      // ended itself: abort(), a failed assertion, std::terminate
  kException,  // an exception that nobody caught, if nothing but leaving follows
  kKilled,     // killed from outside because something failed: by its launcher, by a memory killer
  kStopped,    // ended from outside although nothing failed: limit, preemption, a person, a lost node
};

// Of whom a sign speaks.
enum class SignOf : uint8_t {
  kSelf,   // the process that printed the line
  kNamed,  // whom the captures name: culprit_rank or rank, pid, culprit_host or host
  kJob,    // the job as a whole: its launcher or scheduler speaks of itself
};

// One such line, with whom it names. Numbers that it does not tell are -1, texts empty.
struct LifeSign {
  Life life = Life::kNone;
  Ending how = Ending::kNone;
  SignOf of = SignOf::kSelf;
  SourceId source;
  uint32_t line = 0;
  uint32_t last_line = 0;  // of its repeats, as far as they were kept
  uint64_t offset = 0;
  ProcessId process;  // who printed it, if known
  int32_t rank = -1;  // named by the captures
  int64_t pid = -1;
  std::string host;
  int32_t code = -1;   // exit code
  std::string signal;  // number or name
  std::string job;     // the id under which a scheduler's record of it stands; records of one job are its history
  std::string text;
  std::string time;    // the stamp of its line, as printed; empty without
  bool late = false;   // it had happened before its line: a scheduler hears of a lost node after all who spoke to it
  bool suite = false;  // a verdict on all that its source says in front of it: tests provoke failures
  std::string note;    // what the line means, in the report's language

  // Gone, and not well.
  bool bad() const { return life == Life::kEnding && how != Ending::kClean && !(how == Ending::kExit && code == 0); }
};

}  // namespace ncclwhy
