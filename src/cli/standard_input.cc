#include "cli/standard_input.h"

#include <poll.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/terminal.h"

namespace ncclwhy {

void AwaitStandardInput() {
  if (IsTerminal(STDIN_FILENO)) {
    Complain("paste the log, then press Ctrl-D; ncclwhy --help tells more");
    return;
  }
  constexpr int kPatienceMilliseconds = 5000;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  // Ready, ended, or an error: all of them can be read.
  if (poll(&input, 1, kPatienceMilliseconds) != 0) return;
  Complain("waiting for a log on standard input; name files or directories to read those");
}

}  // namespace ncclwhy
