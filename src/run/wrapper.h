// Wrapper: runs a command as if nobody watched: its output, its terminal, its signals and its end are what they would
// be; what it prints is also kept, and when its pulse stops somebody is asked for an answer.
//
// The process must have one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "run/keeper.h"

namespace ncclwhy {

// What is known of the silence when an answer is asked for.
struct Silence {
  std::chrono::seconds lasted{};
  bool only_chatter = false;  // lines come, but the work's numbers stand still
  pid_t command = -1;
  std::string unlogged;  // the end of what it printed that no log could take
};

struct WrapperOptions {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // all of it, NAME=value
  std::string logs;                      // folder, which is there
  bool ignores_broken_pipes = false;     // what the command inherits
  std::chrono::seconds hang{0};          // 0: never asks
  // Called in a copy of this process, once in each silence; the text goes to standard error. Empty: nothing to say.
  std::function<std::string(const Silence&)> answer;
  // The work goes on after a silence that was told.
  std::function<void()> goes_on;
};

struct CommandEnd {
  int error = 0;           // errno: it could not be started
  int status = 0;          // as of waitpid
  int lost = 0;            // the keeper was killed: how it ended is not known
  int stop_signal = 0;     // a signal that asks to end, handed on to it less than a minute before; 0: none
  uint64_t passed_on = 0;  // bit n: signal n came from outside and was handed on to it
  int dropped_mib = 0;     // of output that the logs do not have
  bool silent = false;     // its end came in a silence that was told
  bool answered = false;   // there was an answer while it ran
  std::string unlogged;    // the end of what it printed that no log could take
};

// Until it ends.
Result<CommandEnd> RunCommand(const WrapperOptions& options);

}  // namespace ncclwhy
