// The keeper: a small process between the wrapper and its command, which starts the command, waits for it, hands its
// output on and sends it signals. It knows nothing of logs, and outlives the wrapper: when that one is killed, the
// command and its output go on.
//
//   wrapper ── messages ── keeper ── command
// Where the command itself is missing (kNotFound) the keeper ends with it, and nothing was printed.
//
// In a session of its own when the command has a controlling terminal of its own (else Ctrl-Z could not stop it: a
// process group whose parents are all of other sessions is not stopped by a terminal), else in a process group of its
// own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "run/job_streams.h"
#include "run/unlogged_output.h"

namespace ncclwhy {

// What the two tell each other, one packet each.
struct KeeperMessage {
  enum Kind : int32_t {
    // From the keeper.
    kStarted,   // value: pid of the command
    kNotFound,  // value: errno of exec
    kStopped,   // value: signal
    kDropped,   // value: MiB of output that the logs do not have
    kExited,    // value: status as of waitpid; its output has been handed on
    // From the wrapper.
    kSignal,       // value: signal, for the command
    kSignalGroup,  // … for its process group
    kHangUp,       // nothing will be said any more
  };
  // Both ends are one program on one host: the bytes are sent as they lie in memory. A packet comes whole or not at
  // all.
  int32_t kind = 0;
  int32_t value = 0;
};

struct KeeperSpec {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // all of it, NAME=value
  std::string logs;                      // folder for what it prints
  UnloggedOutput* unlogged = nullptr;    // gets what cannot be written there
  int watcher = -1;                      // a pipe that gets a copy of what it prints, as far as there is room
  bool ignores_broken_pipes = false;     // what the command inherits
};

struct Keeper {
  pid_t pid = -1;
  // Ours; -1 before it was started. The pipe is closed by the wrapper.
  int messages = -1;
};

// Starts it. All signals must be blocked but those that faults raise; `streams` keeps our ends for the wrapper.
Result<Keeper> StartKeeper(const KeeperSpec& spec, JobStreams* streams, const sigset_t& inherited_mask);

}  // namespace ncclwhy
