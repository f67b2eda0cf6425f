#include "cli/broken_pipes.h"

#include <csignal>

namespace ncclwhy {
namespace {

// Asked by `ncclwhy run`, which restores for its command what it found.
bool g_were_ignored = false;  // written once, before there is anything else
void Nothing(int) {}

}  // namespace

void IgnoreBrokenPipes() { g_were_ignored = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN; }
// Whoever ignored SIGXFSZ before has the same from write(): an error, and no end.
void NoticeFileLimits() {
  if (std::signal(SIGXFSZ, Nothing) == SIG_IGN) std::signal(SIGXFSZ, SIG_IGN);
}
bool BrokenPipesWereIgnored() { return g_were_ignored; }

}  // namespace ncclwhy
