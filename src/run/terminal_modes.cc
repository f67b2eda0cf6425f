#include "run/terminal_modes.h"

#include <unistd.h>

namespace ncclwhy {

void TerminalModes::MakeRaw() {
  // In the background a change of the terminal would stop us (SIGTTOU).
  if (raw_ || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp() || ::tcgetattr(STDIN_FILENO, &old_) != 0) return;
  termios modes = old_;
  // Raw: echo and Ctrl-C are matters of the command's own terminal.
  ::cfmakeraw(&modes);
  raw_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) == 0;
}

void TerminalModes::Restore() {
  if (!raw_) return;
  raw_ = false;
  (void)::tcsetattr(STDIN_FILENO, TCSADRAIN, &old_);
}

}  // namespace ncclwhy
