#include "cli/standard_input.h"

#include <poll.h>
#include <unistd.h>

#include "cli/command_words.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace ncclwhy {

void AwaitStandardInput(Language language) {
  if (IsTerminal(STDIN_FILENO)) {
    Complain(CommandWordsOf(language).paste);
    return;
  }
  constexpr int kPatienceMilliseconds = 5000;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  // Ready, ended, or an error: all of them can be read.
  if (poll(&input, 1, kPatienceMilliseconds) != 0) return;
  Complain(CommandWordsOf(language).waiting);
}

}  // namespace ncclwhy
