// TerminalModes: our terminal while the command has one of its own: every key goes to the command as it is. The old
// modes come back when this ends, and whenever the command is stopped.
#pragma once

#include <termios.h>

namespace ncclwhy {

class TerminalModes {
 public:
  TerminalModes() = default;
  ~TerminalModes() { Restore(); }
  TerminalModes(const TerminalModes&) = delete;
  TerminalModes& operator=(const TerminalModes&) = delete;

  // Only in the foreground; else the shell has the terminal.
  void MakeRaw();
  void Restore();
  bool raw() const { return raw_; }

  // Our terminal is standard input; standard output may be another one.
 private:
  termios old_{};
  bool raw_ = false;
};

}  // namespace ncclwhy
